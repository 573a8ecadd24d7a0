"""The strategies that come with the program, one small file each."""
