// What only the demo says, in Simplified Chinese.
import type { DemoWords } from "./demo-en.ts";

export const demoZh: DemoWords = {
  intro: (address) => [
    "真正的 firstfault，跑在本机自带的 Slack 里：不需要账号，数据不出本机，也不保留。",
    `playbook 网页：${address}`,
  ],
  pick: "把失败任务的日志贴进来，rank 越全越好；也可以选一份：",
  samples: {
    cascade: "256 个 rank：26 个超时，而十分钟前已有一个 rank 出错",
    late: "16 个 rank：张量并行的一次集合通信超时，看不出原因",
    shapes: "16 个 rank：一个 rank 加载 checkpoint 失败，其余都在等它",
    experts: "MoE 训练：越来越慢，最后一个 rank 显存不足",
    spike: "Megatron：loss 在第 24 100 步突然升高，最后变成 NaN",
  },
  sample: (about, n) => `${about}（${n} 行）`,
  pasted: (n) => `（已粘贴 ${n} 行）`,
  moreLines: (n) => `…… 还有 ${n} 行`,
  snippet: "超过一条消息的长度，Slack 会作为代码片段发送。",
  thread: (channel) => `#${channel} 的线程`,
  app: "应用",
  updated: "（已更新）",
  onlyYou: "仅你可见",
  menu: "⋯",
  hint: {
    start: "粘贴日志，或输入 1 到 5。q：退出",
    step: "序号：点击   粘贴：作为证据   m：⋯ 菜单   p：整条消息   q：退出",
    over: "case 已结束。n：换一份日志   p：整条消息   q：退出",
    menu: "序号：选择   回车：返回",
    sure: (yes, no) => `y：${yes}   n：${no}`,
    silent: "输入 @firstfault 让它看看，或再贴一些。n：换一份日志   q：退出",
  },
  noButton: (typed) => `现在没有“${typed}”这个按钮。`,
  silent: "firstfault 没有出声：在频道里，它只回答自己认得的故障，免得被人静音。",
  clicks: (who, label) => `${who} 点了“${label}”`,
  chooses: (who, label) => `${who} 选了“${label}”`,
  form: (title, fields) => `Slack 在这里会打开一个表单“${title}”，要填：${fields.join("；")}。终端里不显示表单。`,
  failed: "Slack 提示：应用没有及时响应，请再试一次。",
  slow: "机器人还在处理。",
  left: "已退出。要用在自己的 Slack 里，见 docs/slack.md。",
  auto: "没有可以输入的终端，以下是自动演示。在终端里可以贴自己的日志。",
};
