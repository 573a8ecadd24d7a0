"""What tests share: the plain twin of the game, games beside it, programs, files and studies."""
