"""Limits what a program can use and reach while it runs, and cleans up afterwards.

A run is one execution of a program, including all processes the program starts. There are three
kinds of sandbox: `bwrap` uses bubblewrap, `user` runs programs as another user, and `none` has only
limits.

A grader makes these folders in the system's temporary folder. A program can write only to those
marked with a star:

    grading.XXXX/               locked while the grader lives; other users cannot list it
        closed                  lists what the grader has closed to other users (kind `user`)
        statistics              a copy of /proc/stat with few processors (kind `bwrap`)
        passwd                  the system's list of users, and the user of the runs (kind `bwrap`)
        submission/             the copy of a submission; it is never run here
        built-XXXX/             a copy of the submission's folder after the build
        without/                a copy without files that the program must write itself
        run-XXXX/ *             one run: home folder and temporary files (kinds `user`, `none`)
            submission/ *       a copy of the program's folder: the program starts here

With the kind `bwrap`, a run has its own file systems instead of the folder `run-XXXX`. Of the
machine's files, it sees only those listed by `view`. It also sees:

    /source/                    the folder to run, read-only
    /tmp/ *                     in memory, at most 128 MB: home folder and temporary files
        submission/ *           a fresh copy of the folder
    /dev/shm/ *                 in memory, at most 128 MB

A run has these steps: `kinds` makes a folder and a command line for a `program`; `launch` forks a
process; the process confines itself, reports that it is ready, and becomes the program. At the end,
all processes of the run are killed, and the run's files are removed. Each module answers one
question:

choose           which kind of sandbox works here, and what can a program reach in it?
scratch          where are the grader's own folders, and who removes them?
kinds            what do `bwrap`, `user` and `none` promise, and how?
launch           how does a process become a program?
other_user       which user does a program run as, what is closed to it, what has it left behind?
view             which files does a run see?
calls            which system calls can a program make, and which were refused?
usage            has a run used more than the limits allow?
control_groups   how does the kernel limit a run as a group, and how many runs have room?
untrusted_files  how are untrusted files and folders opened and removed safely?
kernel           how does the kernel start, find, end and restrict processes?
program          what should run: which words, folder, environment, Python?
"""
