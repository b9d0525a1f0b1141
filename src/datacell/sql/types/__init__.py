"""The types of operations and literals as Spark gives them with ANSI mode off; which casts it allows and makes itself.

May import the algebra's types only. Must not know functions, scopes or plans.
"""
