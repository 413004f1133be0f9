"""Reports for people and platforms, all made from the results of submissions.

    results                         what all reports show of a submission, and results.json holds
    scorebook                       results while a submission is graded
    messages                        the sentences that several reports have
    text                            the report in a terminal
    grades                          grades.csv
    junit                           JUnit XML
    out                             which files the folder of --out holds
    gradescope                      Gradescope: its page of a submission, and the autograder
    pages                           pages
"""
