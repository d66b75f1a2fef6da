package org.gridfarm.client.cli.console;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** What is around every page: head, navigation, and where the live part begins. */
final class Frame {
    /** A link of the navigation and the letter that goes there after g. */
    private record Place(String path, String name, char key) {}

    private static final List<Place> PLACES =
            List.of(
                    new Place("/", "Overview", 'o'),
                    new Place("/nodes", "Nodes", 'n'),
                    new Place("/replicas", "Replicas", 'r'),
                    new Place("/files", "Files", 'f'),
                    new Place("/clients", "Clients", 'c'),
                    new Place("/jobs", "Jobs", 'j'),
                    new Place("/slow", "Slow requests", 's'),
                    new Place("/health", "Health", 'h'));

    private static final String HEAD =
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                    + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                    + "<link rel=\"stylesheet\" href=\"/console.css\">"
                    + "<link rel=\"icon\" href=\"data:,\">";

    private Frame() {}

    /**
     * @param live what the script asks to be kept up to date; null: the page stays as it is
     */
    static Html page(String title, String path, String farm, Html body, @Nullable String live) {
        Html html =
                Html.of(
                        HEAD
                                + "<title>{} - Gridfarm</title>"
                                + "<script src=\"/console.js\" defer></script></head><body>\n"
                                + "<a class=\"skip\" href=\"#main\">Skip to the page</a><header><a class=\"brand\" href=\"/\">Gridfarm</a><span>{}</span>",
                        title,
                        farm);
        html.add(
                "<input id=\"filter\" type=\"search\" placeholder=\"filter rows ( / )\" aria-label=\"filter rows\" hidden>"
                        + "<span id=\"pulse\" role=\"status\"></span><button id=\"theme\" type=\"button\" hidden>Dark</button>"
                        + "</header>\n<nav class=\"places\" aria-label=\"pages of the console\"><ul>");
        for (Place place : PLACES) {
            boolean here =
                    place.path().equals(path)
                            || (place.path().equals("/files") && path.equals("/file"))
                            || (place.path().equals("/jobs") && path.equals("/job"));
            html.add(
                    "<li><a href=\"{}\" data-key=\"{}\"{}>{}<kbd>g {}</kbd></a></li>",
                    place.path(),
                    place.key(),
                    here ? Html.of(" aria-current=\"page\"") : new Html(),
                    place.name(),
                    place.key());
        }
        html.add("</ul></nav>\n<main id=\"main\" tabindex=\"-1\"><h1>{}</h1>\n", title);
        if (live == null) html.add("<div>");
        else html.add("<div id=\"live\" data-live=\"{}\">", live);
        return html.add(body).add("</div></main></body></html>\n");
    }

    /** For who is not let in. */
    static Html login(String why) {
        return Html.of(
                HEAD
                        + "<title>Gridfarm</title></head><body class=\"login\">"
                        + "<main><h1>Gridfarm</h1><p>{}</p><form method=\"post\" action=\"/login\"><label for=\"token\">Token</label>"
                        + "<input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" autofocus required>"
                        + "<button type=\"submit\">Come in</button></form>"
                        + "<p class=\"note\">gf console printed the token when it was started; "
                        + "a certificate whose name it was told is let in without.</p></main></body></html>\n",
                why);
    }

    static Html failure(org.gridfarm.protocol.error.FarmException failure, String cure) {
        Html html =
                Html.of(
                        "<div class=\"banner bad\"><p><b>{}</b></p>",
                        String.valueOf(failure.getMessage()));
        if (!cure.isEmpty()) html.add("<p>What to do: {}</p>", cure);
        return html.add("</div>");
    }

    static Html confirm(String question, String act, String what, Viewer viewer, String back) {
        return Html.of(
                "<p>{}</p><form method=\"post\" action=\"/act\"><input type=\"hidden\" name=\"form\" value=\"{}\">"
                        + "<input type=\"hidden\" name=\"act\" value=\"{}\"><input type=\"hidden\" name=\"what\" value=\"{}\">"
                        + "<button type=\"submit\" autofocus>Yes</button> <a class=\"button\" href=\"{}\">No, go back</a></form>",
                question,
                viewer.formKey(),
                act,
                what,
                back);
    }
}
