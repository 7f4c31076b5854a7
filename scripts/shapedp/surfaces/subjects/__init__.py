"""What is known of a subject beyond its surface: the one room that imports what knows a face.

Everybody else asks here, by what scans show (`faces.subject`), and gets what serves that subject. A further subject of
which more is known has a room of its own beside `human_face`, and its lines in these modules. They are several since a
job runs again when a module changes that its script reaches: pages do not hang on how a scan is registered.
"""
