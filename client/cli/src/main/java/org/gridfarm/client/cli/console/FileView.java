package org.gridfarm.client.cli.console;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;
import org.gridfarm.protocol.wire.ReplicaState;

import java.util.Locale;

/** One file: what it is and where each of its objects lies. */
final class FileView implements View {
    private final Feed feed;

    FileView(Feed feed) {
        this.feed = feed;
    }

    @Override
    public String title(Asked asked) {
        return "File";
    }

    /** A node with a copy, in the colour of what the copy is worth. */
    static Html copy(Replica replica) {
        boolean valid = replica.getState() == ReplicaState.VALID;
        String state = replica.getState().name().toLowerCase(Locale.ROOT);
        String kind = valid && replica.getLive() ? "good" : valid ? "warn" : "bad";
        String why = !valid ? ": " + state : replica.getLive() ? "" : ": silent";
        return Html.of("{} ", Parts.chip(kind, replica.getNode() + why));
    }

    @Override
    public Html body(Asked asked, Viewer viewer) {
        FarmPath path = FilesView.path(asked);
        FileInfo file = feed.once("stat " + path, FileInfo.class, () -> feed.farm().statLink(path));
        Html html = FilesView.crumbs(path, "/file");
        html.add("<div class=\"figures\">")
                .add(Parts.figure(Parts.bytes(file.size()), file.size() + " bytes"))
                .add(Parts.figure(file.replicasWanted(), "copies wanted"))
                .add(Parts.figure(String.format(Locale.ROOT, "%04o", file.mode()), "mode"))
                .add(Parts.figure(file.uid() + ":" + file.gid(), "owner and group"))
                .add(Parts.figure(Parts.time(file.modified().toEpochMilli()), "modified"))
                .add(Parts.figure(file.inode(), "inode"))
                .add("</div>");
        if (file.isSymbolicLink()) {
            return html.add(Parts.note("A link to " + feed.farm().readLink(path)));
        }
        if (!file.isRegularFile()) return html;
        Layout layout = feed.once("where " + path, Layout.class, () -> feed.farm().where(path));
        html.add(
                "<h2>Where</h2><div class=\"scroll\"><table><thead><tr><th class=\"n\">Stripe</th><th class=\"n\">Generation</th>"
                        + "<th>Copies</th></tr></thead><tbody>");
        for (ObjectLocation object : layout.getObjectsList()) {
            Html copies = new Html();
            object.getReplicasList().forEach(replica -> copies.add(copy(replica)));
            html.add(
                    "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
                    object.getObject().getStripe(),
                    object.getObject().getGeneration(),
                    copies);
        }
        return html.add("</tbody></table></div>")
                .add(Parts.note("gf why " + path + " says what the file waits for."));
    }
}
