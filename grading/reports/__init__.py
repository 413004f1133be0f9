"""Reports for people and platforms, all made from the results of submissions.

One module for each output:

text                            the report in a terminal, and a line for each of a class
results_json                    results.json: written, and read back
gradescope                      results.json in the form that Gradescope reads
junit                           JUnit XML
grades_csv                      grades.csv
report_page                     the page about a submission
class_page                      the page about a class
session_page                    the page about a session
out_folder                      the folder of --out: which files it has
pack                            the autograder for Gradescope (autograder/)

What these share, so that each fact is worded once:

findings                        which findings are shown, their titles, and the points to earn back
not_run                         why sessions were not run, in words
interruptions                   what ended a grading, or its explanation, in words
messages                        the message about each session that fails, and about the grading
examples                        an example: where it is, what is wrong, expected and printed
notes                           what a teacher should know besides a grade
names                           sessions, and lines of a program
addresses                       the names of pages, and links to them
students                        what students may see
summary                         what the reports of a class need
rendering                       makes pages from templates (templates/)
pictures                        draws the positions of games
side_by_side                    two texts, line by line
packages                        the packages that Gradescope's machines lack
"""
