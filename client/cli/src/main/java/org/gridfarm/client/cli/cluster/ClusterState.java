package org.gridfarm.client.cli.cluster;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What cluster.json holds: the components in the order in which they are started. Written whole and
 * renamed into place, so a command that dies leaves the former state.
 */
record ClusterState(String directory, String java, List<Component> components) {
    static final String FILE = "cluster.json";
    private static final ObjectMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    static boolean exists(Path directory) {
        return Files.exists(directory.resolve(FILE));
    }

    static ClusterState read(Path directory) {
        Path file = directory.resolve(FILE);
        if (!Files.exists(file)) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "cluster",
                    directory.toString(),
                    "no farm here; start one: gf cluster start --dir " + directory);
        }
        try {
            return JSON.readValue(Files.readAllBytes(file), ClusterState.class);
        } catch (IOException | JacksonException e) {
            throw new FarmException(
                    ErrorKind.CORRUPT, "read", file.toString(), String.valueOf(e.getMessage()), e);
        }
    }

    void write() {
        Path file = Path.of(directory, FILE);
        Path fresh = Path.of(directory, FILE + ".new");
        try {
            Files.write(fresh, JSON.writeValueAsBytes(this));
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new FarmException(
                    ErrorKind.DISK_FAILED,
                    "write",
                    file.toString(),
                    String.valueOf(e.getMessage()),
                    e);
        }
    }

    Optional<Component> find(String name) {
        return components.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    Component require(String name) {
        return find(name)
                .orElseThrow(() ->
                        new FarmException(
                                ErrorKind.NOT_FOUND,
                                "component",
                                name,
                                "there are "
                                        + String.join(
                                                ", ",
                                                components.stream()
                                                        .map(Component::name)
                                                        .toList())));
    }

    List<Component> ofRole(String role) {
        return components.stream().filter(c -> c.role().equals(role)).toList();
    }

    /** With this component in place of the one of the same name, or added at the end. */
    ClusterState with(Component component) {
        List<Component> changed = new ArrayList<>(components);
        for (int i = 0; i < changed.size(); i++) {
            if (changed.get(i).name().equals(component.name())) {
                changed.set(i, component);
                return new ClusterState(directory, java, changed);
            }
        }
        changed.add(component);
        return new ClusterState(directory, java, changed);
    }

    ClusterState without(String name) {
        return new ClusterState(
                directory, java, components.stream().filter(c -> !c.name().equals(name)).toList());
    }
}
