package org.gridfarm.storagenode.tasks;

import org.gridfarm.protocol.name.NameText;
import org.gridfarm.protocol.name.VariableName;
import org.gridfarm.protocol.wire.RunTaskRequest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * All that a task finds in its environment: what every login has, what the job asked for, and where
 * it runs. Nothing of the node's own, which may hold secrets of whoever started it.
 */
final class TaskEnvironment {
    static final String MOUNT_VARIABLE = "GF_MOUNT";

    /** Stands for the mount in the values that a job sets. */
    private static final String MOUNT = "{mount}";

    private static final String PATH = "/usr/local/bin:/usr/bin:/bin";

    private TaskEnvironment() {}

    static Map<String, String> of(
            RunTaskRequest request, TaskUser user, String mount, Map<String, String> more) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("PATH", PATH);
        variables.put("HOME", user.home().orElse(mount.isEmpty() ? "/" : mount));
        variables.put("LANG", language());
        if (!user.name().isEmpty()) {
            variables.put("USER", user.name());
            variables.put("LOGNAME", user.name());
            variables.put("GF_ACCOUNT", user.name()); // its proxy may have others
        }
        request.getEnvironmentMap()
                .forEach((name, value) ->
                        variables.put(
                                new VariableName(name).text(),
                                placed(NameText.of(value.toByteArray()), mount)));
        if (!mount.isEmpty()) {
            variables.put(MOUNT_VARIABLE, mount);
        }
        variables.putAll(more);
        return variables;
    }

    private static String placed(String value, String mount) {
        if (!value.contains(MOUNT)) {
            return value;
        }
        if (mount.isEmpty()) {
            throw Unmounted.failure();
        }
        return value.replace(MOUNT, mount);
    }

    /** Of the host, as the node was started with it. */
    private static String language() {
        return Optional.ofNullable(System.getenv("LANG"))
                .filter(language -> language.matches("[A-Za-z0-9_.@-]+"))
                .orElse("C.UTF-8");
    }
}
