"""Affine forms, facts, effects and the solver: every safety question is answered here."""
