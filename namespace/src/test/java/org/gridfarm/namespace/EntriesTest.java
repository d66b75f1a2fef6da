package org.gridfarm.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import org.gridfarm.campaign.property.Dice;
import org.gridfarm.campaign.property.Property;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

class EntriesTest {
    /** Growth, gaps, packing, cookies out of order: against two sorted maps. */
    @Property(tries = 100)
    void entriesBehaveAsAMapSortedByCookie(Dice dice) {
        Entries entries = new Entries();
        TreeMap<String, Long> cookies = new TreeMap<>();
        int names = dice.oneOf(5, 20, 300);
        long cookie = 0;
        for (int i = 0; i < 2000; i++) {
            String name = "n" + dice.below(names);
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            if (dice.below(100) < (i / 500 % 2 == 0 ? 70 : 25)) {
                cookie = dice.once(10) ? cookie + 1000 - i % 7 : entries.nextCookie();
                if (cookies.containsValue(cookie)) {
                    continue;
                }
                entries.put(bytes, new Inode(1), cookie);
                cookies.put(name, cookie);
            } else {
                assertThat(entries.remove(bytes) != null).isEqualTo(cookies.remove(name) != null);
            }
            assertThat(entries.count()).isEqualTo(cookies.size());
            assertThat(entries.get(bytes) != null).isEqualTo(cookies.containsKey(name));
            if (i % 100 == 0) {
                long after = dice.below(3000);
                List<Long> seen = new ArrayList<>();
                for (int at = entries.after(after); at < entries.end(); at++) {
                    Entry entry = entries.at(at);
                    if (entry != null) {
                        seen.add(entry.cookie);
                    }
                }
                assertThat(seen)
                        .isEqualTo(
                                cookies.values().stream().filter(c -> c > after).sorted().toList());
            }
        }
    }
}
