"""Reports for people and platforms, all made from the results of submissions.

results                         what all reports show of a submission, and results.json holds
text                            the report in a terminal, and the sentences of all reports
files                           the files of --out, grades.csv, JUnit XML; Gradescope's, and
                                the autograder (autograder/)
pages                           the pages, made from templates/
"""
