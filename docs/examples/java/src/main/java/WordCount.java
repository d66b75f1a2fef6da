import org.gridfarm.client.Gridfarm;
import org.gridfarm.client.JobSpec;
import org.gridfarm.client.TaskResult;
import org.gridfarm.client.TaskSpec;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Writes some files, counts their words where they lie, and reads the counts. */
class WordCount {
    public static void main(String[] args) throws Exception {
        String directory = args.length > 0 ? args[0] : "/wordcount";
        try (Gridfarm farm = Gridfarm.connect()) {
            farm.mkdirs(directory);
            List<TaskSpec> tasks = new ArrayList<>();
            for (int i = 1; i <= 3; i++) {
                String text = directory + "/" + i + ".txt";
                Files.writeString(farm.path(text), "a word ".repeat(i * 1_000));
                tasks.add(
                        TaskSpec.shell(
                                "wc -w < \"$GF_MOUNT"
                                        + text
                                        + "\" > \"$GF_MOUNT"
                                        + text
                                        + ".count\"",
                                text));
            }
            for (TaskResult task : farm.submit(JobSpec.of("wordcount", tasks)).await()) {
                String count =
                        Files.readString(
                                farm.path(directory + "/" + (task.index() + 1) + ".txt.count"));
                System.out.println(
                        task.state() + " on " + task.node() + ": " + count.strip() + " words");
            }
        }
    }
}
