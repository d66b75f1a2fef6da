package org.gridfarm.client;

import org.gridfarm.protocol.error.FarmException;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** What a program may name, beside the JDK. */
final class PublicClasses {
    static final List<String> PACKAGES =
            List.of("org.gridfarm.client", "org.gridfarm.protocol.error");

    private PublicClasses() {}

    static List<Class<?>> all() throws IOException, URISyntaxException, ClassNotFoundException {
        List<Class<?>> api = new ArrayList<>(classesOf(Gridfarm.class, "org/gridfarm/client"));
        api.addAll(classesOf(FarmException.class, "org/gridfarm/protocol/error"));
        api.removeIf(type -> !isPublic(type));
        return api;
    }

    /** A class within another can be named only if that can. */
    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getDeclaringClass();
        return Modifier.isPublic(type.getModifiers()) && (outer == null || isPublic(outer));
    }

    private static List<Class<?>> classesOf(Class<?> one, String folder)
            throws IOException, URISyntaxException, ClassNotFoundException {
        Path root = Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        List<Class<?>> classes = new ArrayList<>();
        if (Files.isDirectory(root)) {
            try (Stream<Path> files = Files.list(root.resolve(folder))) {
                for (Path file : files.toList()) {
                    add(classes, folder, file.getFileName().toString());
                }
            }
        } else {
            try (var jar = new JarFile(root.toFile())) {
                for (var entry : Collections.list(jar.entries())) {
                    Path file = Path.of(entry.getName());
                    if (Path.of(folder).equals(file.getParent())) {
                        add(classes, folder, file.getFileName().toString());
                    }
                }
            }
        }
        return classes;
    }

    private static void add(List<Class<?>> classes, String folder, String file)
            throws ClassNotFoundException {
        if (file.endsWith(".class") && !file.equals("package-info.class")) {
            String name = file.substring(0, file.length() - ".class".length());
            classes.add(
                    Class.forName(
                            folder.replace('/', '.') + "." + name,
                            false,
                            PublicClasses.class.getClassLoader()));
        }
    }
}
