package org.gridfarm.client.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractAppendTest;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractConcatTest;
import org.apache.hadoop.fs.contract.AbstractContractContentSummaryTest;
import org.apache.hadoop.fs.contract.AbstractContractCopyFromLocalTest;
import org.apache.hadoop.fs.contract.AbstractContractCreateTest;
import org.apache.hadoop.fs.contract.AbstractContractDeleteTest;
import org.apache.hadoop.fs.contract.AbstractContractGetEnclosingRoot;
import org.apache.hadoop.fs.contract.AbstractContractGetFileStatusTest;
import org.apache.hadoop.fs.contract.AbstractContractMkdirTest;
import org.apache.hadoop.fs.contract.AbstractContractMultipartUploaderTest;
import org.apache.hadoop.fs.contract.AbstractContractOpenTest;
import org.apache.hadoop.fs.contract.AbstractContractPathHandleTest;
import org.apache.hadoop.fs.contract.AbstractContractRenameTest;
import org.apache.hadoop.fs.contract.AbstractContractRootDirectoryTest;
import org.apache.hadoop.fs.contract.AbstractContractSeekTest;
import org.apache.hadoop.fs.contract.AbstractContractSetTimesTest;
import org.apache.hadoop.fs.contract.AbstractContractStreamIOStatisticsTest;
import org.apache.hadoop.fs.contract.AbstractContractUnbufferTest;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Hadoop's contracts of FileSystem. Left out are those of etags (object stores), safe mode and
 * lease recovery (HDFS): the farm has nothing of these.
 */
final class Contracts {
    private Contracts() {}

    static final class Append extends AbstractContractAppendTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class BulkDelete extends AbstractContractBulkDeleteTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class Concat extends AbstractContractConcatTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class ContentSummary extends AbstractContractContentSummaryTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class CopyFromLocal extends AbstractContractCopyFromLocalTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class Create extends AbstractContractCreateTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class Delete extends AbstractContractDeleteTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class EnclosingRoot extends AbstractContractGetEnclosingRoot {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class GetFileStatus extends AbstractContractGetFileStatusTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class Mkdir extends AbstractContractMkdirTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class MultipartUpload extends AbstractContractMultipartUploaderTest {
        private static final int PART_BYTES = 1 << 20;

        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }

        @Override
        protected int partSizeInBytes() {
            return PART_BYTES;
        }

        @Override
        protected boolean finalizeConsumesUploadIdImmediately() {
            return true;
        }

        @Override
        protected boolean supportsConcurrentUploadsToSamePath() {
            return true;
        }
    }

    static final class Open extends AbstractContractOpenTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class PathHandle extends AbstractContractPathHandleTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class Rename extends AbstractContractRenameTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class RootDirectory extends AbstractContractRootDirectoryTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class Seek extends AbstractContractSeekTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class SetTimes extends AbstractContractSetTimesTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class StreamIOStatistics extends AbstractContractStreamIOStatisticsTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    static final class Unbuffer extends AbstractContractUnbufferTest {
        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }

    @ParameterizedClass(name = "buffer-{0}")
    @MethodSource("params")
    static final class VectoredRead extends AbstractContractVectoredReadTest {
        VectoredRead(String bufferType) {
            super(bufferType);
        }

        @Override
        protected AbstractFSContract createContract(Configuration configuration) {
            return new GridfarmContract(configuration);
        }
    }
}
