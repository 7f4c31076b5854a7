"""A mean shape released as its deviation from one public shape p0, in the flat space tangent to shape space there."""
