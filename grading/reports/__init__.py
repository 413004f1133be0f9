"""Reports for people and platforms, all made from the results of submissions.

The results of a submission list findings, each about one thing that is wrong with the program. A
known fault is a finding with an id: see docs/faults.md. A finding has an example, which is the
place in a session that shows it best. It may have places, which are lines of the program where the
student should look. It also says how many lost points the student would earn back by fixing nothing
else. The search for findings is called the explanation. A class is always a class of students here.
Fresh games are random games: see docs/teachers.md.

Each output has its own module:

text                            the report on a terminal, and one line on each submission of a class
results_json                    writes results.json, and reads it back
gradescope                      the results in Gradescope's format
junit                           the results as JUnit XML
grades_csv                      grades.csv
report_page                     the page about a submission
class_page                      the page about a class
session_page                    the page about a session
out_folder                      writes the files in the --out folder
pack                            the autograder for Gradescope (autograder/)

These modules are shared, so that each fact is worded only once:

findings                        which findings to show, their titles, and the points to earn back
not_run                         why sessions were not run
interruptions                   what interrupted a grading or an explanation
messages                        the message about each failed session, and about the whole grading
examples                        an example: where it is, what is wrong, expected and printed lines
notes                           what a teacher should know in addition to a grade
names                           how to name sessions, and lines of a program
addresses                       the names of files in the --out folder, and links to pages
students                        what students may see
summary                         the part of a submission's results that a class's reports need
rendering                       makes pages from templates (templates/)
pictures                        draws the positions of games
side_by_side                    compares two texts, line by line
packages                        the packages that Gradescope's machines lack
"""
