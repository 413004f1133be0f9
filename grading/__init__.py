"""The grader: it grades anybody's program with the recorded transcripts.

A submission walks forward through these rooms, and nothing comes back:

    __main__, commands      the command line: what is to be done
      settings, games          ... said once, and the transcripts that do it
    classroom, processes    many submissions, a process for each
      exports, names        ... as learning platforms hand them over
      cluster               ... on other machines
    grader                    one submission, from hand-in to results
    submission, copying     a folder, zip or file becomes a program
    building                ... built, or compiled, once
    confinement             what a program may reach: walls, limits, a fresh copy for each run
      surroundings          ... its environment and tools
      stranger              ... a user whom nobody else is
      probe                 ... the walls are tried
      traces, abandoned     ... nothing outlives a run, or a grader
    program                 one run, over pipes or in a terminal
    replay, difference      a transcript through it, up to the first difference
    fresh                   games that nobody has seen
    diagnosis               the faults behind the differences
    report, hints           messages for the author
    results, fingerprint    results.json; whether it still holds
    telling, pages, grades  what is read by people: text, HTML, grades.csv

Beside them: `transcript` (the format), `record` (outputs by our own consoles), `pack` (an
autograder for Gradescope), `printable` (text of unknown origin), `positions` (boards and piles in
a text).
"""
