package org.gridfarm.client.cli.setup;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;

import java.nio.file.Path;
import java.util.List;

/**
 * The farm's database in the PostgreSQL of this host, reached as its superuser through the local
 * socket. Passwords go to it on standard input and stand on no command line.
 */
final class Database {
    private static final List<String> ROLES = List.of("meta", "sched");

    private final Host host;

    Database(Host host) {
        this.host = host;
    }

    static Path password(String role) {
        return HostPlan.ETC.resolve("database-password-" + role);
    }

    /** Starts it where it does not run, and says what is missing where it cannot. */
    void require() {
        if (answers()) return;
        if (!host.ask("id", "postgres").good()) {
            throw new FarmException(
                    ErrorKind.NOT_FOUND,
                    "setup",
                    "PostgreSQL",
                    "it is not installed here: apt-get install postgresql (or dnf install postgresql-server)");
        }
        host.require("", "systemctl", "enable", "--now", "postgresql");
        if (!answers()) {
            throw new FarmException(
                    ErrorKind.UNAVAILABLE,
                    "setup",
                    "PostgreSQL",
                    "it does not answer on its local socket: " + sql("select 1", "postgres"));
        }
    }

    private boolean answers() {
        return sql("select 1", "postgres").equals("1");
    }

    /** Whether roles, database and schemas are there. */
    boolean isThere() {
        String roles =
                "select count(*) from pg_roles where rolname in ('gridfarm_meta', 'gridfarm_sched')";
        String schemas =
                "select count(*) from pg_namespace where nspname in ('gridfarm', 'gridfarm_jobs')";
        return sql(roles, "postgres").equals("2") && sql(schemas, "gridfarm").equals("2");
    }

    /** What is missing of it; passwords become those in the files. */
    void create() {
        StringBuilder script = new StringBuilder();
        for (String role : ROLES) {
            script.append(
                    """
                    select 'create role gridfarm_%1$s login' where not exists (select from pg_roles where rolname = 'gridfarm_%1$s') \\gexec
                    alter role gridfarm_%1$s login password '%2$s';
                    """
                            .formatted(role, host.read(password(role)).strip()));
        }
        script.append(
                """
                select 'create database gridfarm' where not exists (select from pg_database where datname = 'gridfarm') \\gexec
                revoke all on database gridfarm from public;
                grant connect on database gridfarm to gridfarm_meta, gridfarm_sched;
                \\connect gridfarm
                create schema if not exists gridfarm authorization gridfarm_meta;
                create schema if not exists gridfarm_jobs authorization gridfarm_sched;
                """);
        host.require(script.toString(), psql("postgres", "-v", "ON_ERROR_STOP=1"));
    }

    void drop() {
        host.require(
                """
                drop database if exists gridfarm;
                drop role if exists gridfarm_meta;
                drop role if exists gridfarm_sched;
                """,
                psql("postgres", "-v", "ON_ERROR_STOP=1"));
    }

    private String sql(String query, String database) {
        return host.ask(psql(database, "-Atc", query)).output().strip();
    }

    private static String[] psql(String database, String... options) {
        List<String> command =
                new java.util.ArrayList<>(
                        List.of(
                                "runuser",
                                "-u",
                                "postgres",
                                "--",
                                "psql",
                                "-X",
                                "-q",
                                "-d",
                                database));
        command.addAll(List.of(options));
        return command.toArray(String[]::new);
    }
}
