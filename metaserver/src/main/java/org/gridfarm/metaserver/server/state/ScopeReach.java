package org.gridfarm.metaserver.server.state;

import com.google.protobuf.ByteString;

import org.gridfarm.namespace.Namespace;
import org.gridfarm.protocol.auth.Scopes;
import org.gridfarm.protocol.auth.Scopes.Right;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Where the paths of a token are in the namespace now. Paths are walked name by name and no link is
 * followed; whether something lies below is asked of the directories above it. For one request.
 */
final class ScopeReach {
    /**
     * A scope, as far as its path is there.
     *
     * @param steps down from the root, the last one being what the scope is about
     * @param inode of that; 0: not there
     */
    private record Place(Right right, List<Step> steps, long inode) {
        boolean isAt(long directory, ByteString name) {
            return !steps.isEmpty() && steps.getLast().is(directory, name);
        }

        boolean leadsThrough(long directory, ByteString name) {
            return steps.stream().anyMatch(step -> step.is(directory, name));
        }
    }

    private record Step(long directory, ByteString name) {
        boolean is(long other, ByteString called) {
            return directory != 0 && directory == other && name.equals(called);
        }
    }

    private final Namespace namespace;
    private final List<Place> places = new ArrayList<>();

    private ScopeReach(Namespace namespace) {
        this.namespace = namespace;
    }

    static ScopeReach of(Scopes scopes, Namespace namespace) {
        ScopeReach reach = new ScopeReach(namespace);
        for (Scopes.Scope scope : scopes.all()) {
            List<Step> steps = new ArrayList<>();
            long at = Namespace.ROOT;
            for (String name : scope.path()) {
                ByteString bytes = ByteString.copyFromUtf8(name);
                steps.add(new Step(at, bytes));
                at = at == 0 ? 0 : namespace.peek(at, bytes);
            }
            reach.places.add(new Place(scope.right(), steps, at));
        }
        return reach;
    }

    /** What may be done with it. */
    Set<Right> rights(long inode) {
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (Place place : places) {
            if (place.inode != 0 && namespace.isBelow(inode, place.inode)) add(rights, place);
        }
        return rights;
    }

    /** What may be done with what has, or is to have, that name. */
    Set<Right> rights(long directory, ByteString name) {
        if (isDots(name)) return EnumSet.noneOf(Right.class);
        Set<Right> rights = rights(directory);
        for (Place place : places) {
            if (place.isAt(directory, name)) add(rights, place);
        }
        return rights;
    }

    /** The same and what may be done below it. */
    Set<Right> rightsBelow(long directory, ByteString name) {
        Set<Right> rights = rights(directory, name);
        for (Place place : places) {
            if (place.leadsThrough(directory, name)) add(rights, place);
        }
        return rights;
    }

    private static void add(Set<Right> rights, Place place) {
        for (Right right : Right.values()) {
            if (place.right.covers(right)) rights.add(right);
        }
    }

    /** Whether that name lies on the way to where the right is given. */
    boolean leads(long directory, ByteString name, Right right) {
        for (Place place : places) {
            if (place.right.covers(right) && place.leadsThrough(directory, name)) return true;
        }
        return false;
    }

    /** It lies at a path of the token, below it, or on the way there. */
    boolean sees(long inode) {
        if (inode == Namespace.ROOT || !rights(inode).isEmpty()) return true;
        for (Place place : places) {
            for (Step step : place.steps) {
                if (step.directory == inode) return true;
            }
        }
        return false;
    }

    /** The same of a name, whether something has it or not. */
    boolean sees(long directory, ByteString name) {
        if (isDots(name)) return sees(directory);
        if (!rights(directory).isEmpty()) return true;
        for (Place place : places) {
            if (place.leadsThrough(directory, name)) return true;
        }
        return false;
    }

    private static boolean isDots(ByteString name) {
        String text = name.toStringUtf8();
        return text.equals(".") || text.equals("..");
    }
}
