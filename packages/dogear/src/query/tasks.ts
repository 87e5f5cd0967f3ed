/** Agents at work for a call, told as tasks. */
import type { Entry } from '@dogear/core'
import type {
  SDKTaskNotificationMessage,
  SDKTaskProgressMessage,
  SDKTaskStartedMessage,
  SDKTaskUpdatedMessage,
} from './sdk-message.ts'

export type TaskMessage =
  SDKTaskStartedMessage | SDKTaskProgressMessage | SDKTaskUpdatedMessage | SDKTaskNotificationMessage

interface Task {
  readonly agent: string
  readonly startedAt: number
  description: string
  totalTokens: number
  toolUses: number
  lastTool?: string
  lastText: string
}

/** Takes a child's entries; a child's child counts for the call that began it. */
export function createTasks(sessionId: string): (entry: Entry) => TaskMessage[] {
  const tasks = new Map<string, Task>()

  return (entry) => {
    const taskId = entry.path[0]
    if (taskId === undefined) return []
    const isOwn = entry.path.length === 1
    if (entry.type === 'session-start' && isOwn) {
      tasks.set(taskId, {
        agent: entry.agent,
        startedAt: entry.at,
        description: '',
        totalTokens: 0,
        toolUses: 0,
        lastText: '',
      })
    }
    const task = tasks.get(taskId)
    if (!task) return []
    const about = {
      type: 'system' as const,
      uuid: entry.id,
      session_id: sessionId,
      task_id: taskId,
      tool_use_id: taskId.split('#')[0] ?? taskId,
    }
    const usage = () => ({
      total_tokens: task.totalTokens,
      tool_uses: task.toolUses,
      duration_ms: entry.at - task.startedAt,
    })
    switch (entry.type) {
      case 'message-add': {
        const { role, content } = entry.message
        const text = typeof content === 'string' ? content : ''
        if (isOwn && role === 'assistant') task.lastText = text
        if (!isOwn || role !== 'user' || task.description) return []
        task.description = text
        return [{ ...about, subtype: 'task_started', description: text, subagent_type: task.agent }]
      }
      case 'usage-add':
        task.totalTokens += entry.usage.total
        return []
      case 'tool-result': {
        task.toolUses += 1
        task.lastTool = entry.result.tool
        const { description, agent, lastTool } = task
        return [
          {
            ...about,
            subtype: 'task_progress',
            description,
            subagent_type: agent,
            usage: usage(),
            last_tool_name: lastTool,
          },
        ]
      }
      case 'turn-end': {
        if (!isOwn) return []
        tasks.delete(taskId)
        const { terminalReason, error } = entry
        const isStopped = terminalReason.startsWith('aborted')
        const ended = terminalReason === 'completed' ? 'completed' : 'failed'
        const status = isStopped ? 'stopped' : ended
        const patch = { status: isStopped ? 'killed' : ended, end_time: entry.at } as const
        return [
          { ...about, uuid: `${entry.id}.updated`, subtype: 'task_updated', patch },
          { ...about, subtype: 'task_notification', status, summary: error?.message ?? task.lastText, usage: usage() },
        ]
      }
      default:
        return []
    }
  }
}
