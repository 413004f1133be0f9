"""Reports for people and platforms, all made from the results of submissions.

The results of a submission list findings, each about one thing wrong with the program. A known
fault is a finding with an id: see docs/faults.md. A finding has an example: the point in a session
that shows the finding best. A finding may also have places: lines of the program where the student
should look. Each finding says in how many sessions nothing else is wrong. The search for findings
is called the explanation. A class is always a class of students. Fresh games are randomly
generated: see docs/teachers.md.

Each output has its own module:

text            the report in a terminal; a line about each submission of a class
results_json    writes results.json, and reads it back
gradescope      the results in Gradescope's format
junit           the results as JUnit XML
grades_csv      grades.csv, a table with a row for each submission
pages           the pages about a submission, a class and a session
out_folder      writes the files in the --out folder
pack            the autograder for Gradescope (autograder/)

These modules are shared, so each fact is worded only once:

wording         names, interruptions, findings, and notes for teachers
messages        describes an example: where it is, and what is wrong there
students        what students may see, and what reports on a class need
pictures        draws positions, compares texts, and fills in templates (templates/)
"""
