/** The names of the tools every smart agent may have: taken, so that a page's own tool cannot stand in for one. */

export const builtinNames = {
  plan: 'manage_todo_list',
  question: 'ask_user_question',
  response: 'response',
  archive: 'get_tool_response',
  exitPlan: 'exit_plan_mode',
} as const

/** Made from an agent's `agents` and `subagents`. */
export const subagentToolNames: readonly string[] = ['delegate_to', 'spawn_subagent', 'spawn_subagents_parallel']
