package org.gridfarm.client.cli.gateway.content;

import org.gridfarm.client.cli.gateway.call.Call;
import org.gridfarm.client.core.FarmFile;
import org.gridfarm.client.core.FarmOutputStream;
import org.gridfarm.client.core.FileInfo;
import org.gridfarm.client.core.Gridfarm;
import org.gridfarm.client.core.NewMode;
import org.gridfarm.client.core.Policy;
import org.gridfarm.client.core.metadata.RenameFlag;
import org.gridfarm.client.core.transfer.OpenFlags;
import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.error.FarmException;
import org.gridfarm.protocol.name.FarmPath;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A content that a client sends for a name: it goes into a file beside it, and when all of it is on
 * stable storage that file gets the name, in one step. Of an upload that breaks off nothing is ever
 * seen under the name. For one thread.
 */
public final class Upload {
    /** Beside the file, and of the same user. What a gateway that died left behind is called so. */
    public static final String PREFIX = ".upload.";

    private static final int RANDOM_BYTES = 12;
    private static final int PIECE_BYTES = 256 << 10;
    private static final int PERMISSIONS = 07777;
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Logger log = LoggerFactory.getLogger(Upload.class);

    private final Gridfarm farm;
    private final FarmPath path;
    private final Call call;
    private NewMode mode = NewMode.FILE;
    private OptionalInt replicas = OptionalInt.empty();
    private boolean mayReplace = true;
    private Content content = file -> receive(file.output(), body());
    private Preparation prepared = _ -> {};

    /**
     * @param path of the file that is there in the end
     */
    public Upload(Call call, FarmPath path) {
        this.call = call;
        this.farm = call.farm();
        this.path = path;
    }

    /** The permissions of a file that was not there. One that is replaced hands its own on. */
    public Upload mode(NewMode other) {
        mode = other;
        return this;
    }

    public Upload replicas(OptionalInt level) {
        replicas = level;
        return this;
    }

    /** ALREADY_EXISTS where the name is taken in the end. */
    public Upload onlyNew(boolean only) {
        mayReplace = !only;
        return this;
    }

    /**
     * The content is that of another file, not the body; it is copied on the nodes where that can
     * be.
     */
    public Upload copyOf(FarmPath other) {
        return from(file -> copy(other, file));
    }

    /** The content is what can be read there, not the body as it comes. */
    public Upload from(InputStream other) {
        return from(file -> receive(file.output(), other));
    }

    /** Puts the content into a file, and closes that when all of it is on stable storage. */
    public interface Content {
        void into(FarmFile file) throws IOException;
    }

    /** The content comes from elsewhere than the body. */
    public Upload from(Content other) {
        content = other;
        return this;
    }

    /** Done with the file under whatever name it has, before it has the one that it is for. */
    public interface Preparation {
        void prepare(FarmPath file);
    }

    public Upload prepared(Preparation other) {
        prepared = other;
        return this;
    }

    /**
     * Takes the body.
     *
     * @param judge asked of what has the name, or null, before the body is read and again before
     *     the name changes hands; throws where it may not
     * @return whether something was replaced
     * @throws IOException where the body breaks off, or caused by a FarmException of the farm
     */
    public boolean take(Judge judge) throws IOException {
        FileInfo before = judged(judge);
        if (before != null) requireMayReplace();
        FarmPath beside = path.parent().child(PREFIX + random());
        FarmFile file = made(beside, before == null ? mode : owned());
        try {
            replicas.ifPresent(level -> farm.setPolicy(beside, Policy.replicas(level)));
            content.into(file);
            prepared.prepare(beside);
            FileInfo now = judged(judge);
            if (now != null) farm.chmod(beside, now.mode() & PERMISSIONS);
            named(beside);
            return now != null;
        } catch (IOException | RuntimeException e) {
            discard(beside);
            throw e;
        }
    }

    /**
     * A token may allow to create and not to replace, nor to take back what was created: this is
     * told before anything is. A rename of a file to its own name does nothing, where it may.
     */
    private void requireMayReplace() {
        if (call.visitor().token().isPresent()) named(path);
    }

    private FarmFile made(FarmPath beside, NewMode first) {
        try {
            return farm.create(beside, OpenFlags.WRITE, true, first, false);
        } catch (FarmException e) {
            throw e.about("create", path.toString());
        }
    }

    /** What may be done with what has the name; null: nothing has it. */
    public interface Judge {
        void judge(@Nullable FileInfo there);
    }

    private @Nullable FileInfo judged(Judge judge) {
        FileInfo there = find();
        if (there != null && !mayReplace) {
            throw new FarmException(ErrorKind.ALREADY_EXISTS, "create", path.toString());
        }
        if (there != null && there.isDirectory()) {
            throw new FarmException(ErrorKind.IS_A_DIRECTORY, "create", path.toString());
        }
        if (there != null && !there.isRegularFile()) {
            throw new FarmException(
                    ErrorKind.UNSUPPORTED,
                    "create",
                    path.toString(),
                    there.isSymbolicLink()
                            ? "it is a symbolic link: name what it leads to, or delete it first"
                            : "it is no regular file");
        }
        judge.judge(there);
        return there;
    }

    /** Until it has the permissions of what it replaces, which may be fewer than usual. */
    private static NewMode owned() {
        return NewMode.exactly(0600);
    }

    private @Nullable FileInfo find() {
        try {
            return farm.statLink(path);
        } catch (FarmException e) {
            if (e.kind() == ErrorKind.NOT_FOUND) return null;
            throw e;
        }
    }

    private InputStream body() {
        return call.request().body();
    }

    private static void receive(FarmOutputStream out, InputStream from) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        try (out) {
            for (int got = from.read(piece); got >= 0; got = from.read(piece)) {
                out.write(piece, 0, got);
            }
            out.sync();
        }
    }

    private void copy(FarmPath from, FarmFile to) {
        try (to;
                FarmFile read = farm.open(from, OpenFlags.READ)) {
            farm.copy(read, to);
            to.sync();
        }
    }

    private void named(FarmPath beside) {
        try {
            farm.rename(beside, path, mayReplace ? Set.of() : Set.of(RenameFlag.NO_REPLACE));
        } catch (FarmException e) {
            throw e.about("create", path.toString());
        }
    }

    private void discard(FarmPath beside) {
        try {
            farm.delete(beside);
        } catch (FarmException e) {
            log.warn("{} stays behind: {}", beside, e.getMessage());
        }
    }

    private static String random() {
        byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
