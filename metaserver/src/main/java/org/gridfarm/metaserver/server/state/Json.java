package org.gridfarm.metaserver.server.state;

import java.util.Iterator;
import java.util.Map;

/** Maps, lists, numbers and texts as JSON, for the answers of ADMIN. */
public final class Json {
    private final StringBuilder text = new StringBuilder();

    private Json() {}

    public static String of(Object value) {
        Json json = new Json();
        json.add(value);
        return json.text.toString();
    }

    private void add(Object value) {
        switch (value) {
            case Map<?, ?> map -> addMap(map);
            case Iterable<?> list -> addList(list);
            case Number number -> text.append(number);
            case Boolean truth -> text.append(truth);
            default -> text.append(JsonText.quoted(value.toString()));
        }
    }

    private void addMap(Map<?, ?> map) {
        text.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            text.append(JsonText.quoted(String.valueOf(entry.getKey())));
            text.append(':');
            add(entry.getValue());
            if (entries.hasNext()) text.append(',');
        }
        text.append('}');
    }

    private void addList(Iterable<?> list) {
        text.append('[');
        Iterator<?> items = list.iterator();
        while (items.hasNext()) {
            add(items.next());
            if (items.hasNext()) text.append(',');
        }
        text.append(']');
    }
}
