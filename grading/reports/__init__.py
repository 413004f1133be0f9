"""Reports for people and platforms, all made from the results of submissions.

The results of a submission list findings, each about one thing wrong with the program. A known
fault is a finding with an id: see docs/faults.md. A finding has an example: the point in a session
that shows the finding best. A finding may also have places: lines of the program where the student
should look. Each finding says in how many sessions nothing else is wrong. The search for findings
is called the explanation. A class is always a class of students. Fresh games are randomly
generated: see docs/teachers.md.

Each output has its own module:

text                            the report in a terminal; a line about each submission of a class
results_json                    writes results.json, and reads it back
gradescope                      the results in Gradescope's format
junit                           the results as JUnit XML
grades_csv                      grades.csv, a table with a row for each submission
report_page                     the page about a submission
class_page                      the page about a class
session_page                    the page about a session
out_folder                      writes the files in the --out folder
pack                            the autograder for Gradescope (autograder/)

These modules are shared, so each fact is worded only once:

findings                        the findings to show, and their titles
not_run                         why sessions were not run
interruptions                   what interrupted grading or the explanation
messages                        the message about each failed session, and about a whole submission
examples                        describes an example: where it is, and what is wrong there
notes                           what a teacher should know besides the grade
names                           how to refer to sessions, and to lines of a program
addresses                       the names of files in the --out folder, and links to pages
students                        what students may see
summary                         the part of a submission's results needed by reports on a class
rendering                       makes pages from templates (templates/)
pictures                        draws the positions of games
side_by_side                    compares expected and printed text, line by line
packages                        the packages missing on Gradescope's machines
"""
