package org.gridfarm.client.cli.console;

import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.name.FarmPath;
import org.gridfarm.protocol.wire.Layout;
import org.gridfarm.protocol.wire.ObjectLocation;
import org.gridfarm.protocol.wire.Replica;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

/**
 * A directory, a hundred entries at a time, and the nodes that hold each file. Entries stand as the
 * directory has them: to sort them all would be to fetch them all.
 */
final class FilesView implements View {
    private static final int SHOWN = 100;

    /** Pages beyond are not looked for: the directory is read up to the page. */
    private static final long PAGES_MAX = 100_000;

    private final Feed feed;

    FilesView(Feed feed) {
        this.feed = feed;
    }

    @Override
    public Duration every() {
        return Duration.ofSeconds(10);
    }

    @Override
    public String title(Asked asked) {
        return "Files";
    }

    static FarmPath path(Asked asked) {
        String text = asked.text("path");
        return FarmPath.of(text.isEmpty() ? "/" : text);
    }

    /** One page of entries, and whether there are more. */
    private record Page(List<FileInfo> entries, boolean more) {}

    @Override
    public Html body(Asked asked, Viewer viewer) {
        FarmPath directory = path(asked);
        long page = asked.number("page", 0, PAGES_MAX);
        Page shown =
                feed.once(
                        "list " + directory + " " + page, Page.class, () -> list(directory, page));
        Html html = crumbs(directory, "/files");
        html.add(
                "<div class=\"scroll\"><table data-filter><thead><tr><th>Name</th><th class=\"n\">Size</th><th>Modified</th>"
                        + "<th class=\"n\">Level</th><th>Where</th></tr></thead><tbody>");
        for (FileInfo entry : shown.entries()) row(html, entry);
        html.add("</tbody></table></div>");
        if (shown.entries().isEmpty()) html.add(Parts.note("Nothing is here."));
        if (page > 0 || shown.more()) {
            html.add("<nav class=\"pages\" aria-label=\"pages\">");
            if (page > 0) {
                html.add(
                        "<a rel=\"prev\" href=\"{}\">&larr; previous</a> ",
                        asked.with("page", page - 1));
            }
            html.add(
                    "<span>{}&ndash;{}</span>",
                    page * SHOWN + 1,
                    page * SHOWN + shown.entries().size());
            if (shown.more()) {
                html.add(
                        " <a rel=\"next\" href=\"{}\">next &rarr;</a>",
                        asked.with("page", page + 1));
            }
            html.add("</nav>");
        }
        return html;
    }

    private Page list(FarmPath directory, long page) {
        try (var entries = feed.farm().list(directory)) {
            List<FileInfo> found = entries.skip(page * SHOWN).limit(SHOWN + 1L).toList();
            boolean more = found.size() > SHOWN;
            return new Page(more ? found.subList(0, SHOWN) : found, more);
        }
    }

    /**
     * The way to it, each directory a link.
     *
     * @param page that shows the last
     */
    static Html crumbs(FarmPath path, String page) {
        Html html = new Html().add("<nav class=\"crumbs\" aria-label=\"path\">");
        FarmPath at = FarmPath.ROOT;
        html.add("<a href=\"/files?path=%2F\">/</a>");
        for (var name : path.names()) {
            at = at.child(name);
            html.add(
                    "<a href=\"{}?path={}\">{}</a><i>/</i>",
                    at.equals(path) ? page : "/files",
                    Asked.encode(at.toString()),
                    name);
        }
        return html.add("</nav>");
    }

    private void row(Html html, FileInfo entry) {
        String link =
                (entry.isDirectory() ? "/files?path=" : "/file?path=")
                        + Asked.encode(entry.path().toString());
        html.add(
                "<tr><td><a href=\"{}\">{}{}</a></td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
                link,
                entry.path().last(),
                entry.isDirectory() ? "/" : entry.isSymbolicLink() ? " (link)" : "",
                entry.isDirectory() ? "" : Parts.bytes(entry.size()),
                Parts.time(millis(entry.modified())),
                entry.replicasWanted(),
                entry.isRegularFile() ? where(entry) : new Html());
    }

    private static long millis(Instant instant) {
        return instant.toEpochMilli();
    }

    private Html where(FileInfo file) {
        Layout layout =
                feed.once(
                        "where " + file.path(), Layout.class, () -> feed.farm().where(file.path()));
        TreeMap<String, Replica> byNode = new TreeMap<>();
        for (ObjectLocation object : layout.getObjectsList()) {
            object.getReplicasList().forEach(r -> byNode.putIfAbsent(r.getNode(), r));
        }
        Html html = new Html();
        byNode.values().forEach(replica -> html.add(FileView.copy(replica)));
        return html;
    }
}
