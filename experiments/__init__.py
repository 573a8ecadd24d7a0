"""Studies that come with the program, one file each: the question, the options, what is played."""
