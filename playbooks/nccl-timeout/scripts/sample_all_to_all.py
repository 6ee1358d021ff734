"""Time of one all-to-all of each expert-parallel group, every N steps: what degrades shows itself before it times out.

Needs torch and a running process group. In the training loop of every rank, before the first step and after each one:

    from sample_all_to_all import Sampler
    sampler = Sampler(ep_group, name=ep_group_index)      # e.g. mpu.get_expert_model_parallel_group()
    ...
    sampler.after(step)

The first rank of each group prints "step 5200 ep_group 3 all_to_all 41.2 ms". Paste 200 steps of all groups.
"""

import torch
import torch.distributed as dist


class Sampler:
    """64 MiB per rank every 10 steps cost some milliseconds; with fewer bytes the latency is measured, not the link."""

    def __init__(self, group, name, mib=64, every=10):
        self.group, self.name, self.every = group, name, every
        size = dist.get_world_size(group)
        numel = mib * 2**20 // 2 // size * size
        self.sent = torch.zeros(numel, dtype=torch.bfloat16, device="cuda")
        self.received = torch.empty_like(self.sent)
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def after(self, step):
        if step % self.every:
            return
        # All start together: what is measured is the link, not who came late from the step.
        dist.barrier(group=self.group)
        torch.cuda.synchronize()
        self.begin.record()
        dist.all_to_all_single(self.received, self.sent, group=self.group)
        self.end.record()
        torch.cuda.synchronize()
        if dist.get_rank(self.group) == 0:
            print(f"step {step} ep_group {self.name} all_to_all {self.begin.elapsed_time(self.end):.2f} ms", flush=True)
