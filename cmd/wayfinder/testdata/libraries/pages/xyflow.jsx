import { createRoot } from "react-dom/client"
import { ReactFlow, useNodesState } from "@xyflow/react"
import "@xyflow/react/dist/style.css"
function App() {
  const [nodes, , change] = useNodesState([{ id: "a", position: { x: 50, y: 50 }, data: { label: "Start" } }, { id: "b", position: { x: 50, y: 200 }, data: { label: "End" } }])
  window.state = () => ({ moved: nodes.filter((n) => n.position.x > 80).map((n) => n.data.label), chosen: nodes.filter((n) => n.selected).map((n) => n.data.label) })
  return <div style={{ width: 700, height: 400 }}><ReactFlow nodes={nodes} edges={[]} onNodesChange={change} /></div>
}
createRoot(app).render(<App />)
