"""Reports for people and platforms: text, results.json, grades.csv, pages, Gradescope."""
