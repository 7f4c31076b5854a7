"""Several faces side by side, at one scale, with captions."""

import numpy as np

from shapedp.figures import render, style

LINE = 0.17  # inches that a line of text takes


def face_sheet(
    meshes, titles, views=("front", "three-quarter"), size=(400, 500), caption=None, overlays=None, framed=None
):
    """A Figure with one column a mesh and one row a view, all at the same scale.

    meshes : [(vertices (n, 3), triangles (t, 3), colours (n, 3) or None), ...]; the colours may be left out
    titles : one a mesh; overlays : one `render.Overlay` (or None) a mesh; size : pixels of one picture
    framed : vertex arrays that must fit into the pictures, by default all of them; what reaches farther is cut off
    """
    if len(titles) != len(meshes):
        raise ValueError(f"{len(meshes)} meshes need as many titles, got {len(titles)}")
    overlays = overlays or [None] * len(meshes)
    width = style.WIDTHS["page"]
    with style.applied():
        height = width / len(meshes) * size[1] / size[0] * len(views)
        lines = max(title.count("\n") + 1 for title in titles) + len(style.caption_lines(caption or ""))
        made = style.figure("page", height + LINE * lines, caption)
        made.get_layout_engine().set(w_pad=0.01, h_pad=0.03, wspace=0, hspace=0)
        axes = np.reshape(made.subplots(len(views), len(meshes)), (len(views), len(meshes)))
        for row, view in zip(axes, views, strict=True):
            camera = render.fitted_camera(framed or [mesh[0] for mesh in meshes], view, size)
            for ax, mesh, overlay in zip(row, meshes, overlays, strict=True):
                ax.imshow(render.render(*mesh[:2], camera, *mesh[2:], overlay=overlay))
                ax.set_axis_off()
            render.mark_scale(row[0], camera)
        for ax, title in zip(axes[0], titles, strict=True):
            ax.set_title(title, fontsize=9)
    return made
