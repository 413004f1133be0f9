"""The diagnosis: it finds the faults of a program from the sessions that the program fails.

explain                         explains one submission: what is wrong, why, and where to look
apart                           makes the explanation in a process of its own, with limits
diagnose                        finds the certain faults of a program, the best example of each,
                                and the failures that no fault explains
claims                          checks that sessions show what the sentence about a fault claims
exchange                        what was expected and printed in the turn in which a session fails
wordings                        decides whether a program really words a line differently
evidence                        which faults are certain, and in which sessions each shows
promises                        which sessions certainly pass, or still fail, once a fault is fixed
spots                           the wrong lines of a session, and which of them show a fault best
search                          finds the faults of a game that explain what a program printed
match                           measures how far a model of a game explains a session
wrong_lines                     finds what is wrong in sessions of no known game, line by line
failed_session                  pairs the printed and the expected lines of such a session
wrong_pair                      what is wrong in an expected line and the printed one
wrong_file                      what is wrong with a file that a program writes
unfinished                      why a program did not go on, or did not end
wrong_line_sentences            the sentences about wrong lines
common_faults                   the known faults that programs for any assignment can have
printing                        the faults of printing that may explain a difference
printing_sentences              writes the sentence and the advice about a fault of printing
manners                         how a program reads and ends
style                           how a program prints the expected lines
observed                        what a program printed in a session, turn by turn
protocol                        the expected lines: their kinds, and the form of each kind
pairs                           aligns the expected lines with the printed lines
finding, example                a fault, and its example in reports
languages                       fits advice to the language of a program
hints                           what is certain about a wrong line, besides its fault
wording                         what a program does, in a few words
crash                           where a program crashed, and what its error means
silence                         why a program prints nothing and exits normally
places                          where in the source of the program to look
"""
