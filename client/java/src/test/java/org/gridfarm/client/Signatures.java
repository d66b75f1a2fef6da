package org.gridfarm.client;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What compiled programs hold on to: of each public class its head, and in alphabetical order the
 * members that they can name. Names of java.lang are short.
 */
final class Signatures {
    private static final Pattern OF_JAVA_LANG = Pattern.compile("\\bjava\\.lang\\.(?=[A-Z])");

    /** How a method does its work, and not how it is called. */
    private static final Pattern INSIDE = Pattern.compile("\\b(synchronized|native|strictfp) ");

    private Signatures() {}

    static Map<String, List<String>> of(List<Class<?>> classes) {
        Map<String, List<String>> all = new TreeMap<>();
        for (Class<?> type : classes) all.put(head(type), members(type));
        return all;
    }

    private static String head(Class<?> type) {
        StringBuilder head =
                new StringBuilder(INSIDE.matcher(type.toGenericString()).replaceAll(""));
        Type parent = type.getGenericSuperclass();
        if (parent != null && parent != Object.class) {
            head.append(" extends ").append(parent.getTypeName());
        }
        append(head, " implements ", type.getGenericInterfaces());
        Class<?>[] permitted = type.getPermittedSubclasses();
        if (permitted != null) append(head, " permits ", permitted);
        return shortened(head.toString());
    }

    private static void append(StringBuilder head, String word, Type[] types) {
        if (types.length == 0) return;
        head.append(word)
                .append(
                        Arrays.stream(types)
                                .map(Type::getTypeName)
                                .sorted()
                                .collect(Collectors.joining(", ")));
    }

    private static List<String> members(Class<?> type) {
        TreeSet<String> lines = new TreeSet<>();
        for (Field field : type.getDeclaredFields()) {
            if (isSeen(field.getModifiers()) && !field.isSynthetic()) lines.add(field(field));
        }
        Stream<Executable> calls =
                Stream.concat(
                        Arrays.<Constructor<?>>stream(type.getDeclaredConstructors()),
                        Arrays.<Method>stream(type.getDeclaredMethods()));
        calls.filter(call -> isSeen(call.getModifiers()) && !call.isSynthetic())
                .map(call -> without(type, call.toGenericString()))
                .forEach(lines::add);
        return List.copyOf(lines);
    }

    /** With its value where the compiler puts that into programs. */
    private static String field(Field field) {
        String line = without(field.getDeclaringClass(), field.toGenericString());
        int constant = Modifier.STATIC | Modifier.FINAL;
        boolean isInlined = field.getType().isPrimitive() || field.getType() == String.class;
        if ((field.getModifiers() & constant) != constant || !isInlined) return line;
        try {
            return line + " = " + field.get(null);
        } catch (IllegalAccessException e) {
            return line; // protected, and of a class that a program would have to extend
        }
    }

    private static String without(Class<?> type, String member) {
        String name = Matcher.quoteReplacement(type.getSimpleName());
        String outside = INSIDE.matcher(member).replaceAll("");
        String qualified = Pattern.quote(type.getTypeName());
        return shortened(
                outside.replaceFirst(" " + qualified + "\\.", " ")
                        .replaceFirst(" " + qualified + "\\(", " " + name + "("));
    }

    private static String shortened(String line) {
        return OF_JAVA_LANG.matcher(line).replaceAll("");
    }

    private static boolean isSeen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }
}
