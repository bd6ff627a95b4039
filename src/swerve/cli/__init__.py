"""The command `swerve`: one small file a command. Heavy imports stay inside the functions."""
