import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Writes Parquet to the farm, reads it again and writes what came out, with Spark's default
 * committer; then tells where the files lie and where the tasks ran. {@code run} starts it.
 */
public final class LocalityJob {
    private static final long ROWS = 2_000_000;
    private static final int FILES = 8;

    private LocalityJob() {}

    public static void main(String[] args) throws Exception {
        String root = args[0];
        try (SparkSession spark = SparkSession.builder().appName("locality").getOrCreate()) {
            FileSystem farm =
                    FileSystem.get(
                            new Path(root).toUri(), spark.sparkContext().hadoopConfiguration());
            spark.range(0, ROWS, 1, FILES)
                    .selectExpr("id", "id % 10 as kind", "repeat('x', 64) as filling")
                    .write()
                    .mode("overwrite")
                    .parquet(root + "/in");
            require(farm.exists(new Path(root + "/in/_SUCCESS")), "the input is not committed");
            System.out.println("files on hosts: " + places(farm, new Path(root + "/in")));

            Map<String, AtomicInteger> tasks = new ConcurrentSkipListMap<>();
            SparkListener counts = listener(tasks);
            Dataset<Row> read = spark.read().parquet(root + "/in");
            spark.sparkContext().addSparkListener(counts);
            long sum = read.agg(functions.sum("id")).first().getLong(0);
            spark.sparkContext().listenerBus().waitUntilEmpty();
            spark.sparkContext().removeSparkListener(counts);
            require(sum == ROWS * (ROWS - 1) / 2, "the sum is " + sum);
            System.out.println("tasks that read: " + tasks);

            read.groupBy("kind").count().write().mode("overwrite").parquet(root + "/out");
            require(farm.exists(new Path(root + "/out/_SUCCESS")), "the output is not committed");
            require(!farm.exists(new Path(root + "/out/_temporary")), "attempts are left");
            require(
                    spark.read().parquet(root + "/out").where("count = " + ROWS / 10).count() == 10,
                    "the output is not what was counted");

            int local =
                    tasks.entrySet().stream()
                            .filter(e -> e.getKey().startsWith("NODE_LOCAL"))
                            .mapToInt(e -> e.getValue().get())
                            .sum();
            int all = tasks.values().stream().mapToInt(AtomicInteger::get).sum();
            require(
                    all == FILES && local == FILES,
                    local + " of " + all + " tasks were NODE_LOCAL");
            require(tasks.size() == 2, "not both hosts had tasks");
        }
        System.out.println("all tasks ran where their files lie");
    }

    private static SparkListener listener(Map<String, AtomicInteger> tasks) {
        return new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                if (end.taskMetrics().inputMetrics().bytesRead() > 0) {
                    String key = end.taskInfo().taskLocality() + " on " + end.taskInfo().host();
                    tasks.computeIfAbsent(key, k -> new AtomicInteger()).incrementAndGet();
                }
            }
        };
    }

    private static Map<String, Integer> places(FileSystem farm, Path directory) throws Exception {
        Map<String, Integer> found = new TreeMap<>();
        for (FileStatus file : farm.listStatus(directory)) {
            if (file.getPath().getName().endsWith(".parquet")) {
                BlockLocation[] all = farm.getFileBlockLocations(file, 0, file.getLen());
                for (String host : all[0].getHosts()) {
                    found.merge(host, 1, Integer::sum);
                }
            }
        }
        return found;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
