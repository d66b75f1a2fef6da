package org.gridfarm.client.cli.run;

import org.gridfarm.protocol.name.LocalPath;
import org.gridfarm.protocol.name.NameText;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The tree of GNU parallel's {@code --results}: {@code DIR/1/VALUE/2/VALUE/...} with {@code
 * stdout}, {@code stderr} and {@code seq} of the task with these values. In a value a slash is
 * {@code +z}, a tab {@code +t} and a plus {@code ++}; where one is too long for a name, the task's
 * number stands for it.
 */
public record Results(Path directory) {
    private static final int NAME_BYTES_MAX = 255;

    public OutputStream open(int number, List<Argument> arguments, boolean isError)
            throws IOException {
        Path of = place(number, arguments);
        Files.createDirectories(of);
        Files.writeString(of.resolve("seq"), Integer.toString(number));
        return Files.newOutputStream(of.resolve(isError ? "stderr" : "stdout"));
    }

    Path place(int number, List<Argument> arguments) {
        Path at = directory;
        for (int i = 0; i < arguments.size(); i++) {
            String name =
                    arguments
                            .get(i)
                            .text()
                            .replace("+", "++")
                            .replace("/", "+z")
                            .replace("\t", "+t");
            boolean isName =
                    !name.isEmpty()
                            && !name.equals(".")
                            && !name.equals("..")
                            && NameText.bytes(name).length <= NAME_BYTES_MAX;
            at =
                    at.resolve(Integer.toString(i + 1))
                            .resolve(LocalPath.of(isName ? name : "+" + number));
        }
        return arguments.isEmpty() ? at.resolve(Integer.toString(number)) : at;
    }
}
