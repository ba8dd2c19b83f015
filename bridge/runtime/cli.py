"""Marks this directory as an agent root: the Coordinator looks for this file and never runs it.

What it runs is ``hyperloom.agents.robustness.runtime.cli`` beside this directory.
"""
