"""The running net: baskets are places; receptors, factories and emitters are transitions.

A receptor puts rows into a basket, a factory reads baskets and puts answers into an output, an emitter delivers them.
The scheduler fires what is enabled. All state is files in the checkpoint directory, each written once under its final
name, so that doing something twice leaves the same files: processing is exactly-once.
"""
