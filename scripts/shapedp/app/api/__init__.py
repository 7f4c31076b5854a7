"""The public surface of the library, in numpy's and scikit-learn's habits; `import shapedp` names it."""
