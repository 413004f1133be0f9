"""Reports for people and platforms, all made from the results of submissions.

Each output has its module:

text                            the report in a terminal, and a line for each of a class
results_json                    results.json: written, and read back
gradescope                      results.json as Gradescope reads it
junit                           JUnit XML
grades_csv                      grades.csv
report_page                     the page about a submission
class_page                      the page about a class
session_page                    the page about a session
out_folder                      the files in the folder of --out
pack                            the autograder for Gradescope (autograder/)

These modules are shared, so that each fact is worded only once:

findings                        which findings to show, their titles, and the points to earn back
not_run                         why sessions were not run, in words
interruptions                   what ended a grading, or its explanation, in words
messages                        the message about each failed session, and the one about the grading
examples                        an example: its place, what is wrong, expected and printed lines
notes                           what a teacher should know in addition to a grade
names                           how to name sessions, and lines of a program
addresses                       the names of pages, and links to them
students                        what students may see
summary                         the part of a submission's results that a class's reports need
rendering                       makes pages from templates (templates/)
pictures                        draws the positions of games
side_by_side                    compares two texts, line by line
packages                        the packages that Gradescope's machines lack
"""
