"""Snakemake's jobs as jobs of a farm: snakemake --executor gridfarm, called in a directory of a mount.

A job runs on a node that holds its input, if that is worth the wait. All of them are looked at by one call of gf.
"""

import json
import os
import shlex
import subprocess
from dataclasses import dataclass, field
from typing import AsyncGenerator, List, Optional

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_executor_plugins.executors.base import SubmittedJobInfo
from snakemake_interface_executor_plugins.executors.real import RealExecutor
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface
from snakemake_interface_executor_plugins.settings import CommonSettings, ExecutorSettingsBase

_INPUTS_MAX = 1000  # so many say enough about where a job's input lies
_ENDED = ("succeeded", "failed", "cancelled")


@dataclass
class ExecutorSettings(ExecutorSettingsBase):
    gf: str = field(default="gf", metadata={"help": "The command of Gridfarm"})
    options: Optional[str] = field(
        default=None,
        metadata={"help": "Further options of gf submit for every job, such as '--on gpu* --retries 1'"},
    )


common_settings = CommonSettings(
    non_local_exec=True,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    pass_default_storage_provider_args=True,
    pass_default_resources_args=True,
    pass_envvar_declarations_to_cmd=True,
    auto_deploy_default_storage_provider=False,
    init_seconds_before_status_checks=1,
)


def _mount_of(directory):
    """The mount that the directory is in: its control files say that it is one of a farm."""
    at = os.path.realpath(directory)
    while not os.path.ismount(at):
        at = os.path.dirname(at)
    if not os.path.isdir(os.path.join(at, ".gf")):
        raise WorkflowError(
            f"{directory} is in no mount of a farm: jobs would not find their files. Call snakemake in one."
        )
    return at


class Executor(RemoteExecutor):
    def __post_init__(self):
        self.mount = _mount_of(self.workflow.workdir_init)
        settings = self.workflow.executor_settings
        self.gf = shlex.split(settings.gf)
        self.options = shlex.split(settings.options or "")
        # While jobs are looked at, Snakemake's own list of them is empty: whoever presses ^C then would cancel none.
        self.running = set()

    def _say(self, *words):
        """Standard output of gf, which has to succeed. ^C is for Snakemake alone, which then cancels jobs by gf."""
        said = subprocess.run([*self.gf, *words], capture_output=True, text=True, start_new_session=True)
        if said.returncode != 0:
            raise WorkflowError(f"gf {words[0]}: {said.stderr.strip() or said.returncode}")
        return said.stdout

    def _in_farm(self, path):
        """Its path in the farm, None if it is elsewhere."""
        at = os.path.realpath(os.path.join(self.workflow.workdir_init, path))
        return "/" + os.path.relpath(at, self.mount) if at.startswith(self.mount + os.sep) else None

    # What is written on one mount is there on all: the job waits for nothing, and need not know where this one is.
    def get_job_args(self, job: JobExecutorInterface):
        return RealExecutor.get_job_args(self, job)

    def get_job_exec_prefix(self, job: JobExecutorInterface):
        return f'cd "$GF_MOUNT"{shlex.quote(self._in_farm("."))}'

    def get_job_exec_suffix(self, job: JobExecutorInterface):
        return ""

    def get_snakefile(self):
        return os.path.relpath(super().get_snakefile(), self.workflow.workdir_init)

    def _wishes(self, job):
        """Options of gf submit for what the rule asks for."""
        have = job.resources
        options = ["--name", f"{'group' if job.is_group() else job.rule.name}-{job.jobid}", "--slots", str(job.threads)]
        for resource, option, unit in (("mem_mb", "--mem", "M"), ("disk_mb", "--disk", "M"), ("gpu", "--gpu", "")):
            value = have.get(resource)
            if isinstance(value, int) and value > 0:
                options += [option, f"{value}{unit}"]
        minutes = have.get("runtime")
        if isinstance(minutes, int) and minutes > 0:
            options += ["--timeout", f"{minutes}m"]
        for path in list(job.input)[:_INPUTS_MAX]:
            inside = self._in_farm(path)
            if inside and os.path.isfile(path):
                options += ["--input", inside]
        return options

    def run_job(self, job: JobExecutorInterface):
        script = self.get_jobscript(job)
        self.write_jobscript(job, script)
        info = SubmittedJobInfo(job)
        try:
            said = self._say("submit", "--json", *self._wishes(job), *self.options, script)
        except WorkflowError as e:
            self.report_job_error(info, msg=f"{e} ")
            return
        info.external_jobid = str(json.loads(said)["job"])
        self.running.add(info.external_jobid)
        self.report_job_submission(info)

    async def check_active_jobs(self, active_jobs: List[SubmittedJobInfo]) -> AsyncGenerator[SubmittedJobInfo, None]:
        if not active_jobs:
            return
        states = {}
        try:
            async with self.status_rate_limiter:
                said = self._say("jobs", "--json", *[info.external_jobid for info in active_jobs])
            states = {str(job["job"]): job["state"] for job in json.loads(said)["jobs"]}
        except WorkflowError as e:
            self.logger.warning(f"{e}; the jobs go on, and are asked for again")
        for info in active_jobs:
            state = states.get(info.external_jobid)
            if state in _ENDED:
                self.running.discard(info.external_jobid)
            if state == "succeeded":
                self.report_job_success(info)
            elif state in _ENDED:
                self.report_job_error(info, msg=f"gf job log {info.external_jobid} --stderr says more. ")
            else:
                yield info

    def cancel_jobs(self, active_jobs: List[SubmittedJobInfo]):
        running = sorted(self.running)
        if not running:
            return
        try:
            self._say("jobs", "--cancel", *running)
        except WorkflowError as e:
            self.logger.error(str(e))
