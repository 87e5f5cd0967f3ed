import { createSmartAgent, createTool, mount } from 'dogear'
import * as z from 'zod'

const convert = createTool({
  name: 'convert_celsius',
  label: 'Convert a temperature',
  description: 'Converts celsius to fahrenheit',
  schema: z.object({ celsius: z.number() }),
  effect: 'read',
  func: ({ celsius }) => `${(celsius * 9) / 5 + 32} °F`,
})
const agent = createSmartAgent({
  name: 'npm-app',
  endpoint: '/api/agent',
  tools: [convert],
})

mount('#agent', { agent, heading: 'Thermometer' })
