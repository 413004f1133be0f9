"""What people and platforms read: messages, text, results.json, grades.csv, pages, Gradescope."""
