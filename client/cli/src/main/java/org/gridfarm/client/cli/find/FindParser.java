package org.gridfarm.client.cli.find;

import org.gridfarm.client.cli.operand.ModeChange;
import org.gridfarm.client.cli.operand.Operands;
import org.gridfarm.client.cli.operand.Owner;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.wire.FileType;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;

/** Reads the words behind the paths of {@code gf find}, by the grammar of POSIX find. */
public final class FindParser {
    private static final Expression TRUE = _ -> true;

    private final List<String> words;
    private final Actions actions;
    private final Instant now;
    private final Operands operands;
    private final List<Batch> batches = new ArrayList<>();
    private int next;
    private boolean acts;
    private boolean deepFirst;
    private int deepest = Integer.MAX_VALUE;
    private int shallowest;

    /** Names that {@code -exec ... +} collects. */
    private record Batch(List<String> command, List<String> found) {}

    public FindParser(List<String> words, Actions actions, Instant now, Operands operands) {
        this.words = words;
        this.actions = actions;
        this.now = now;
        this.operands = operands;
    }

    /** USAGE names the word that is not understood. */
    public Expression parse() {
        Expression whole = words.isEmpty() ? TRUE : alternatives();
        if (next < words.size()) {
            throw wrong(words.get(next), "here it means nothing");
        }
        return acts
                ? whole
                : whole.and(visit -> {
                    actions.print(visit.file(), "\n");
                    return true;
                });
    }

    /** What is below a directory comes before it. */
    public boolean isDeepFirst() {
        return deepFirst;
    }

    public int deepest() {
        return deepest;
    }

    public int shallowest() {
        return shallowest;
    }

    /** Runs what {@code -exec ... +} has collected; false: one of them failed. */
    public boolean end() throws java.io.IOException {
        boolean well = true;
        for (Batch batch : batches) {
            if (!batch.found.isEmpty()) {
                List<String> command = new ArrayList<>(batch.command);
                command.addAll(batch.found);
                well &= actions.execute(command);
            }
        }
        return well;
    }

    private Expression alternatives() {
        Expression left = conjunction();
        while (accept("-o") || accept("-or")) {
            left = left.or(conjunction());
        }
        return left;
    }

    private Expression conjunction() {
        Expression left = negation();
        while (next < words.size()
                && !words.get(next).equals(")")
                && !words.get(next).equals("-o")
                && !words.get(next).equals("-or")) {
            if (!accept("-a")) {
                accept("-and");
            }
            left = left.and(negation());
        }
        return left;
    }

    private Expression negation() {
        if (accept("!") || accept("-not")) {
            return negation().not();
        }
        if (accept("(")) {
            Expression inner = alternatives();
            if (!accept(")")) {
                throw wrong("(", "it is not closed");
            }
            return inner;
        }
        return primary();
    }

    private Expression primary() {
        if (next >= words.size()) {
            throw wrong(words.getLast(), "something must follow");
        }
        String word = words.get(next++);
        return switch (word) {
            case "-name" -> name(value(word), false);
            case "-iname" -> name(value(word), true);
            case "-path", "-wholename" -> path(value(word));
            case "-type" -> type(value(word));
            case "-size" -> size(value(word));
            case "-empty" -> Visit::isEmpty;
            case "-mtime" -> age(word, FileInfo::modified, Duration.ofDays(1));
            case "-mmin" -> age(word, FileInfo::modified, Duration.ofMinutes(1));
            case "-atime" -> age(word, FileInfo::accessed, Duration.ofDays(1));
            case "-amin" -> age(word, FileInfo::accessed, Duration.ofMinutes(1));
            case "-ctime" -> age(word, FileInfo::changed, Duration.ofDays(1));
            case "-cmin" -> age(word, FileInfo::changed, Duration.ofMinutes(1));
            case "-newer" -> newer(value(word));
            case "-user" -> number(Owner.user(value(word)), FileInfo::uid);
            case "-group" -> number(Owner.group(value(word)), FileInfo::gid);
            case "-uid" -> compared(word, FileInfo::uid);
            case "-gid" -> compared(word, FileInfo::gid);
            case "-links" -> compared(word, FileInfo::links);
            case "-inum" -> number(Long.parseLong(hex(value(word)), 16), FileInfo::inode);
            case "-replicas" -> compared(word, FileInfo::replicasWanted);
            case "-perm" -> permissions(value(word));
            case "-true" -> TRUE;
            case "-false" -> TRUE.not();
            case "-maxdepth" -> {
                deepest = (int) Math.min(Integer.MAX_VALUE, whole(word, value(word)));
                yield TRUE;
            }
            case "-mindepth" -> {
                shallowest = (int) Math.min(Integer.MAX_VALUE, whole(word, value(word)));
                yield TRUE;
            }
            case "-depth" -> {
                deepFirst = true;
                yield TRUE;
            }
            case "-prune" ->
                    visit -> {
                        visit.prune();
                        return true;
                    };
            default -> action(word);
        };
    }

    private Expression action(String word) {
        acts = true;
        return switch (word) {
            case "-print" -> printing("\n");
            case "-print0" -> printing("\0");
            case "-ls" ->
                    visit -> {
                        actions.list(visit.file());
                        return true;
                    };
            case "-delete" -> {
                deepFirst = true;
                yield visit -> {
                    actions.delete(visit.file());
                    return true;
                };
            }
            case "-exec" -> execution();
            default -> throw wrong(word, "gf find has no such test or action");
        };
    }

    private Expression printing(String end) {
        return visit -> {
            actions.print(visit.file(), end);
            return true;
        };
    }

    private Expression execution() {
        List<String> command = new ArrayList<>();
        while (next < words.size()) {
            String word = words.get(next++);
            if (word.equals(";") && !command.isEmpty()) {
                return visit -> {
                    String path = visit.file().path().toString();
                    return actions.execute(
                            command.stream().map(part -> part.replace("{}", path)).toList());
                };
            }
            if (word.equals("+") && command.size() > 1 && command.getLast().equals("{}")) {
                command.removeLast();
                Batch batch = new Batch(command, new ArrayList<>());
                batches.add(batch);
                return visit -> batch.found.add(visit.file().path().toString());
            }
            command.add(word);
        }
        throw wrong("-exec", "it ends with ';' or '{} +'");
    }

    private static Expression name(String pattern, boolean anyCase) {
        String wanted = anyCase ? pattern.toLowerCase(Locale.ROOT) : pattern;
        PathMatcher matcher = matcher(wanted);
        return visit -> {
            String name = anyCase ? visit.name().toLowerCase(Locale.ROOT) : visit.name();
            return matches(matcher, name);
        };
    }

    /** In a path the wildcards match slashes, too. */
    private static Expression path(String pattern) {
        PathMatcher matcher = matcher(pattern.replace('/', '\1'));
        return visit -> matches(matcher, visit.file().path().toString().replace('/', '\1'));
    }

    private static PathMatcher matcher(String pattern) {
        String plain = pattern.replace("{", "\\{").replace("}", "\\}"); // no wildcards in find
        return FileSystems.getDefault().getPathMatcher("glob:" + plain);
    }

    private static boolean matches(PathMatcher matcher, String text) {
        return matcher.matches(Path.of(text));
    }

    private Expression type(String letters) {
        List<FileType> wanted = new ArrayList<>();
        for (String letter : letters.split(",", -1)) {
            wanted.add(
                    switch (letter) {
                        case "f" -> FileType.REGULAR;
                        case "d" -> FileType.DIRECTORY;
                        case "l" -> FileType.SYMLINK;
                        case "p" -> FileType.FIFO;
                        case "s" -> FileType.SOCKET;
                        case "c" -> FileType.CHARACTER_DEVICE;
                        case "b" -> FileType.BLOCK_DEVICE;
                        default ->
                                throw wrong("-type " + letters, "types are f, d, l, p, s, c and b");
                    });
        }
        return visit -> wanted.contains(visit.file().type());
    }

    /** In blocks of 512 bytes where no unit is given; sizes are rounded up to the unit. */
    private Expression size(String text) {
        char unit = text.isEmpty() ? ' ' : text.charAt(text.length() - 1);
        long bytes =
                switch (unit) {
                    case 'c' -> 1;
                    case 'w' -> 2;
                    case 'b' -> 512;
                    case 'k' -> 1L << 10;
                    case 'M' -> 1L << 20;
                    case 'G' -> 1L << 30;
                    case 'T' -> 1L << 40;
                    default -> 0;
                };
        LongPredicate wanted =
                comparison("-size", bytes == 0 ? text : text.substring(0, text.length() - 1));
        long block = bytes == 0 ? 512 : bytes;
        return visit -> wanted.test((visit.file().size() + block - 1) / block);
    }

    private Expression age(
            String word, java.util.function.Function<FileInfo, Instant> time, Duration unit) {
        LongPredicate wanted = comparison(word, value(word));
        return visit ->
                wanted.test(
                        Math.floorDiv(
                                Duration.between(time.apply(visit.file()), now).toMillis(),
                                unit.toMillis()));
    }

    private Expression newer(String text) {
        Instant than = actions.modified(operands.path(text));
        return visit -> visit.file().modified().isAfter(than);
    }

    private Expression compared(String word, ToLongFunction<FileInfo> of) {
        LongPredicate wanted = comparison(word, value(word));
        return visit -> wanted.test(of.applyAsLong(visit.file()));
    }

    private static Expression number(long wanted, ToLongFunction<FileInfo> of) {
        return visit -> of.applyAsLong(visit.file()) == wanted;
    }

    private static String hex(String text) {
        if (!text.matches("[0-9a-fA-F]{1,15}")) {
            throw wrong("-inum " + text, "inode numbers are hexadecimal, as gf stat shows them");
        }
        return text;
    }

    /** {@code 644}: exactly; {@code -u+w}: all of these; {@code /222}: any of these. */
    private static Expression permissions(String text) {
        char how = text.isEmpty() ? ' ' : text.charAt(0);
        boolean all = how == '-';
        boolean any = how == '/';
        int bits = ModeChange.of(all || any ? text.substring(1) : text).applyTo(0, false);
        return visit -> {
            int mode = visit.file().mode();
            return all
                    ? (mode & bits) == bits
                    : any ? (mode & bits) != 0 || bits == 0 : mode == bits;
        };
    }

    /** {@code +n}: more; {@code -n}: fewer. */
    private static LongPredicate comparison(String word, String text) {
        char sign = text.isEmpty() ? ' ' : text.charAt(0);
        long number = whole(word, sign == '+' || sign == '-' ? text.substring(1) : text);
        return switch (sign) {
            case '+' -> value -> value > number;
            case '-' -> value -> value < number;
            default -> value -> value == number;
        };
    }

    private static long whole(String word, String text) {
        if (!text.matches("[0-9]{1,18}")) {
            throw wrong(word + " " + text, "a number is wanted, such as 3, +3 or -3");
        }
        return Long.parseLong(text);
    }

    private String value(String word) {
        if (next >= words.size()) {
            throw wrong(word, "a value must follow");
        }
        return words.get(next++);
    }

    private boolean accept(String word) {
        if (next < words.size() && words.get(next).equals(word)) {
            next++;
            return true;
        }
        return false;
    }

    private static FarmException wrong(String what, String why) {
        return new FarmException(ErrorKind.USAGE, "find", what, why);
    }
}
