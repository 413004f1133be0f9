"""What a program may reach while it runs, and how all that it leaves behind is cleaned up."""
