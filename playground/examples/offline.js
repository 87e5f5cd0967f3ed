import { isInTunnel, setTunnel, tunnelWorker } from '../shell/tunnel.js'

const agent = window.Dogear.createAgent({
  name: 'offline',
  endpoint: '/api/agent',
  worker: tunnelWorker(),
})
window.Dogear.mount('#agent', {
  agent,
  heading: 'Companion',
  starters: ['Count to 60'],
})

const button = document.querySelector('#tunnel')
button.addEventListener('click', () => setTunnel(!isInTunnel()))
for (const event of ['online', 'offline']) addEventListener(event, show)
show()

function show() {
  button.textContent = isInTunnel() ? 'Leave the tunnel' : 'Enter the tunnel'
}
