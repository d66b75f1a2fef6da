package org.gridfarm.test.cluster;

import static org.awaitility.Awaitility.await;

import org.awaitility.core.ConditionTimeoutException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A program that works in a directory of its own, each call through one of several mounts, beside a
 * model in memory. After each change another mount is asked for what the model says. One thread,
 * but for appends by two at once.
 */
final class ModelProgram {
    private static final int FILES_MAX = 12;
    private static final Duration COPIED_WITHIN = Duration.ofMinutes(1);

    private enum Step {
        CREATE,
        APPEND,
        WRITE,
        TRUNCATE,
        REWRITE,
        REPLACE,
        RENAME,
        REMOVE,
        MAP,
        CHMOD,
        DATE,
        TWO_HANDLES,
        ONE_HANDLE,
        LINK,
        REPLACE_BY_ANOTHER,
        MAKE_AGAIN,
        ATTRIBUTE,
        ATTRIBUTE_AND_TIMES,
        ATTRIBUTE_BETWEEN_WRITES,
        ALLOCATE,
        COPY_RANGE,
        MAP_BESIDE,
        LEVEL,
        TEMPORARY,
        RENAME_TO_FREE,
        EXCHANGE,
        LINK_AT_REST,
        APPEND_TOGETHER,
        EMPTY_AFTER_CLOSE,
        DATE_SOME,
        DATE_WHILE_OPEN,
        READ,
        LIST
    }

    private static final Set<Step> MAKING =
            EnumSet.of(Step.CREATE, Step.TEMPORARY, Step.LINK, Step.LINK_AT_REST);

    /**
     * Looking brings a file to rest: what may only go wrong before that shows when nobody looks.
     */
    enum Pace {
        /** Each step goes through any mount, and most are looked at. */
        LOOKS(1, 4),
        /** Some steps in a row go through one mount, and few are looked at. */
        HURRIES(4, 40);

        private final int stays;
        private final int unseen;

        Pace(int stays, int unseen) {
            this.stays = stays;
            this.unseen = unseen;
        }

        private boolean isToMove(Random random) {
            return random.nextInt(stays) == 0;
        }

        private boolean isToLook(Random random) {
            return this == LOOKS ? random.nextInt(unseen) > 0 : random.nextInt(unseen) == 0;
        }
    }

    private final ModelDirectory directory;
    private final Map<String, ModelledFile> files;
    private final ModelNames names;
    private final ModelContents contents;
    private final ModelAttributes attributes;
    private final Random random;
    private final Pace pace;
    private final List<Step> kinds;

    /**
     * @param directory of all mounts, which is there and empty
     */
    ModelProgram(List<Path> mounts, String directory, long seed, Pace pace) {
        this.pace = pace;
        this.random = new Random(seed);
        this.directory = new ModelDirectory(mounts, directory, random);
        this.files = this.directory.files;
        this.names = new ModelNames(this.directory);
        this.contents = new ModelContents(this.directory);
        this.attributes = new ModelAttributes(this.directory);
        this.kinds = someKinds();
    }

    /** About half: few kinds come one after the other more often than many, in each order. */
    private List<Step> someKinds() {
        Set<Step> some = EnumSet.of(Step.CREATE);
        for (Step step : Step.values()) {
            if (random.nextBoolean()) {
                some.add(step);
            }
        }
        return List.copyOf(some);
    }

    /** What was not as the model says; empty: nothing. It ends with the first. */
    List<String> run(int steps) throws IOException {
        if (random.nextInt(4) == 0) {
            directory.level(2);
        }
        for (int i = 0; i < steps; i++) {
            List<String> wrong = step(i);
            if (!wrong.isEmpty()) {
                return wrong;
            }
        }
        List<String> wrong = new ArrayList<>(copiesWrong());
        for (int mount = 0; mount < directory.mounts.size(); mount++) {
            wrong.addAll(namesWrong(mount));
            for (String name : files.keySet()) {
                for (String difference : fileWrong(name, mount)) {
                    wrong.add(
                            "at the end: "
                                    + difference
                                    + "; before: "
                                    + directory.file(name).history());
                }
            }
        }
        return wrong;
    }

    /** Each host reads its own copy. */
    private List<String> copiesWrong() {
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, ModelledFile> file : files.entrySet()) {
            int level = file.getValue().level;
            if (file.getValue().content.length == 0) {
                continue; // it may have no copy at all
            }
            try {
                await().atMost(COPIED_WITHIN)
                        .until(() -> attributes.copies(file.getKey()) >= level);
            } catch (ConditionTimeoutException e) {
                wrong.add(
                        "%s has not got %d copies; before: %s"
                                .formatted(file.getKey(), level, file.getValue().history()));
            }
        }
        return wrong;
    }

    private List<String> step(int number) throws IOException {
        Step step = files.size() < 2 ? Step.CREATE : kinds.get(random.nextInt(kinds.size()));
        if (MAKING.contains(step) && files.size() >= FILES_MAX) {
            step = Step.REMOVE;
        }
        if (pace.isToMove(random)) {
            directory.move();
        }
        int checked = directory.anyMount();
        boolean isNew = step == Step.CREATE || step == Step.TEMPORARY;
        String name = isNew ? directory.newName() : directory.any();
        String what = "%d: %s %s through %d".formatted(number, step, name, directory.through());
        String after = name; // the name to look at
        List<String> wrong = new ArrayList<>();
        try {
            switch (step) {
                case CREATE -> names.create(name);
                case APPEND -> contents.append(name);
                case WRITE -> contents.write(name);
                case TRUNCATE -> contents.truncate(name);
                case REWRITE -> contents.rewrite(name);
                case REPLACE -> names.replace(name);
                case RENAME -> after = names.rename(name);
                case REMOVE -> names.remove(name);
                case MAP -> contents.map(name);
                case CHMOD -> attributes.chmod(name);
                case DATE -> attributes.date(name);
                case TWO_HANDLES -> contents.twoHandles(name, checked);
                case ONE_HANDLE -> wrong.addAll(contents.oneHandle(name));
                case LINK -> after = names.link(name);
                case REPLACE_BY_ANOTHER -> after = names.replaceByAnother(name);
                case MAKE_AGAIN -> names.makeAgain(name);
                case ATTRIBUTE -> wrong.addAll(attributes.attribute(name));
                case ATTRIBUTE_AND_TIMES -> wrong.addAll(attributes.attributeMovesChangeTime(name));
                case ATTRIBUTE_BETWEEN_WRITES ->
                        wrong.addAll(attributes.attributeBetweenWrites(name));
                case ALLOCATE -> wrong.addAll(contents.allocate(name));
                case COPY_RANGE -> after = contents.copyRange(name, wrong);
                case MAP_BESIDE -> wrong.addAll(contents.mapBeside(name));
                case LEVEL -> attributes.level(name);
                case TEMPORARY -> names.temporary(name);
                case RENAME_TO_FREE -> wrong.addAll(names.renameToFree(name));
                case EXCHANGE -> names.exchange(name);
                case LINK_AT_REST -> {
                    contents.write(name);
                    after = names.link(name);
                    contents.write(after);
                }
                case APPEND_TOGETHER -> wrong.addAll(contents.appendTogether(name, checked));
                case EMPTY_AFTER_CLOSE -> contents.emptyAfterClose(name);
                case DATE_SOME -> wrong.addAll(attributes.dateSome(name));
                case DATE_WHILE_OPEN -> attributes.dateWhileOpen(name);
                case READ -> wrong.addAll(contents.differences(name, directory.through()));
                case LIST -> wrong.addAll(namesWrong(checked));
            }
        } catch (IOException e) {
            throw new IOException(what + "; before: " + historyOf(name), e);
        }
        ModelledFile now = files.get(after);
        if (now != null) {
            now.happened(what);
        }
        if (pace.isToLook(random)) {
            wrong.addAll(namesWrong(checked));
            if (now != null) {
                wrong.addAll(fileWrong(after, checked));
            }
        }
        String before = historyOf(after);
        return wrong.stream().map(w -> what + ": " + w + "; before: " + before).toList();
    }

    private String historyOf(String name) {
        ModelledFile of = files.get(name);
        return of == null ? "" : of.history();
    }

    // ---- the checks

    private List<String> namesWrong(int mount) throws IOException {
        Set<String> found = new TreeSet<>();
        try (Stream<Path> all = Files.list(directory.path(mount))) {
            all.forEach(entry -> found.add(entry.getFileName().toString()));
        }
        return found.equals(files.keySet())
                ? List.of()
                : List.of(
                        "mount %d lists %s, there are %s".formatted(mount, found, files.keySet()));
    }

    private List<String> fileWrong(String name, int mount) throws IOException {
        ModelledFile now = directory.file(name);
        Path file = directory.path(mount, name);
        List<String> wrong = new ArrayList<>();
        Map<String, Object> found =
                Files.readAttributes(
                        file,
                        "unix:size,permissions,lastModifiedTime,ctime",
                        LinkOption.NOFOLLOW_LINKS);
        if ((long) found.get("size") != now.content.length) {
            wrong.add("size %s, not %d".formatted(found.get("size"), now.content.length));
        }
        if (!found.get("permissions").equals(now.mode)) {
            wrong.add("mode %s, not %s".formatted(found.get("permissions"), now.mode));
        }
        FileTime modified = (FileTime) found.get("lastModifiedTime");
        wrong.addAll(now.timesWrong(modified, (FileTime) found.get("ctime")));
        int other = directory.anyMount();
        FileTime elsewhere = Files.getLastModifiedTime(directory.path(other, name));
        if (!modified.equals(elsewhere)) {
            wrong.add(
                    "time %s, through %d %s, and then %s"
                            .formatted(modified, other, elsewhere, timesNow(name)));
        }
        wrong.addAll(attributes.attributesWrong(name, mount));
        wrong.addAll(contents.differences(name, mount));
        return wrong.stream().map(w -> name + " through " + mount + ": " + w).toList();
    }

    private List<FileTime> timesNow(String name) throws IOException {
        List<FileTime> times = new ArrayList<>();
        for (int mount = 0; mount < directory.mounts.size(); mount++) {
            times.add(Files.getLastModifiedTime(directory.path(mount, name)));
        }
        return times;
    }
}
