"""Reports for people and platforms, all made from the results of submissions.

    results, results_json           results while a submission is graded, and saved; exit status
    messages                        the sentences that several reports have
    text                            the report in a terminal
    grades                          grades.csv, JUnit XML, and which pages are written
    gradescope                      Gradescope: its page of a submission, and the autograder
    html                            pages
"""
