"""What is kept on disk: durable files, the checkpoint directory, saved tables, outputs.

May import nothing of the other rooms. Must not know what the tables mean.
"""
