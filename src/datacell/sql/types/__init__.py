"""The types of expressions as Spark gives them with ANSI mode off.

May import the signatures of `functions`. Must not know scopes or plans.
"""
