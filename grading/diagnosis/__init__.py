"""The diagnosis infers the faults of a program from its failed sessions.

explain                         explains one submission: what is wrong, why, and where to look
apart                           runs the explanation in a separate process, with limits
diagnose                        finds the faults a program is certain to have, the best example of
                                each, and the unexplained failures
claims                          checks that sessions show what the sentence about a fault claims
exchange                        the expected and the printed lines of a session's failing turn, and
                                whether a program really words a line differently
evidence                        decides which faults are certain, and which sessions show each fault
where_shown                     finds where in a session a fault shows, and how clearly
search                          finds the faults of a game that explain a program's output
other_assignment                finds out whether a program is for a different assignment
match                           measures how far a model of a game explains a session
wrong_lines                     finds what is wrong in sessions of no known game
failed_session                  the wrong rows of such a session, and why it did not go on or end
wrong_row                       names what is wrong in a row of an expected and a printed line
printing                        the table of the ways to print lines wrongly
manners                         finds faults in how a program reads its input, and in how it ends
style                           the rules by which a program prints the expected lines
observed                        a session, and what a program printed in each turn
protocol                        the expected lines: their kinds, and the forms of rows
finding                         a fault, with the sessions where it shows, and which failures are
                                probably the same fault
languages                       fits advice to the language of a program
hints                           makes the example of a fault for a report, with a hint that is
                                certain
what_happens                    says in a few words what a program does wrong
crash                           finds where a program crashed, and what its error means
silence                         finds out why a program prints nothing and exits normally
places                          finds where in the source of the program to look

Words that these modules share:

Session                         what a program should do: a series of steps
Step                            the expected output before an input line, and that line
Turn                            the printed output before an input line is read, and that line
Failed session                  a played session where the program did not do what was expected
Fault                           one thing wrong with a program; a known fault has an id, and any
                                other fault is unnamed
Place                           lines of the program's source where a fault may be
Model                           a second implementation of a game; a variant of the model makes some
                                decisions differently, as a program with a known fault does
Style                           how a program prints the expected lines: a set of rules, such as no
                                prompts, or "Black" instead of "B"
Follow                          a model follows a program: it plays the same session, and each of
                                its lines is looked for in the program's output
Explain                         a model explains the output it is able to follow, and so do the
                                rules and faults it needs for that
Depart                          a program departs from a model where its output first differs from
                                the model's
Symptom                         how a program departs from a model: the kinds of the two differing
                                lines
Protocol                        the expected lines and prompts in the sessions of an assignment
Own line, own prompt            what a program prints although no session expects it
Free text                       expected text; the assignment leaves its wording to the program
"""
