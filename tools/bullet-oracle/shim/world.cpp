// A robot above a floor, and the C interface to it.
#include "shim.h"

#include <algorithm>

#include "BulletCollision/CollisionShapes/btCapsuleShape.h"
#include "BulletCollision/CollisionShapes/btCompoundShape.h"
#include "BulletCollision/CollisionShapes/btMultiSphereShape.h"
#include "BulletCollision/CollisionShapes/btSphereShape.h"
#include "solver.h"

// Bullet's articulated body asks for it when it decides about sleeping, which ours never does.
bool gDisableDeactivation = false;

namespace {
btVector3 vector(const double v[3]) { return btVector3(v[0], v[1], v[2]); }

std::unique_ptr<btConvexShape> make_shape(const tb_shape& shape)
{
	if (shape.kind == TB_SPHERE) return std::make_unique<btSphereShape>(shape.radius);
	if (shape.kind == TB_CAPSULE) return std::make_unique<btCapsuleShapeZ>(shape.radius, shape.length);
	const btVector3 ends[2] = {vector(shape.from), vector(shape.to)};
	const btScalar radii[2] = {shape.radius, shape.radius};
	return std::make_unique<btMultiSphereShape>(ends, radii, 2);
}

struct AllEqual {
	bool operator()(int, int) const { return false; }
};

// The order in which Bullet's solver meets the joint limits: it sorts limits and motors (which have no force here) by island, all in one, and
// the sort is not stable.
std::vector<JointLimit> solver_order(const std::vector<JointLimit>& limits, int motors)
{
	btAlignedObjectArray<int> order;
	for (int i = 0; i < int(limits.size()) + motors; i++) order.push_back(i);
	order.quickSort(AllEqual());
	std::vector<JointLimit> sorted;
	for (int i = 0; i < order.size(); i++)
		if (order[i] < int(limits.size())) sorted.push_back(limits[order[i]]);
	return sorted;
}
}  // namespace

struct tb_world {
	tb_world(const tb_settings& settings, const tb_base& base, const tb_link* links, int count, const tb_shape* shapes);

	void step();
	void update_poses();
	btTransform pose(int link) const;
	btVector3 velocity(int link) const;

	tb_settings settings;
	std::unique_ptr<btMultiBody> robot;
	FloorContacts contacts;
	std::unique_ptr<Solver> solver;

private:
	btVector3 add_shapes(int link, const tb_shape*& shape, int count, double mass, double friction);
	void substep(btScalar time_step);
	void local_velocity(int link, btVector3& angular, btVector3& linear) const;

	btAlignedObjectArray<btQuaternion> m_rotations;
	btAlignedObjectArray<btVector3> m_origins;
	btAlignedObjectArray<btScalar> m_scratch_r;
	btAlignedObjectArray<btVector3> m_scratch_v;
	btAlignedObjectArray<btMatrix3x3> m_scratch_m;
};

tb_world::tb_world(const tb_settings& settings, const tb_base& base, const tb_link* links, int count, const tb_shape* shapes)
	: settings(settings)
{
	const btVector3 base_inertia = add_shapes(-1, shapes, base.shapes, base.mass, base.friction);
	robot = std::make_unique<btMultiBody>(count, base.mass, base_inertia, base.fixed, false);
	btTransform base_pose = btTransform::getIdentity();
	base_pose.setOrigin(vector(base.position));
	robot->setBaseWorldTransform(base_pose);

	std::vector<JointLimit> limits;
	int motors = 0;
	const btQuaternion parallel(0, 0, 0, 1);
	for (int i = 0; i < count; i++) {
		const tb_link& link = links[i];
		const btVector3 inertia = add_shapes(i, shapes, link.shapes, link.mass, link.friction);
		const btVector3 axis = vector(link.axis), pivot = vector(link.parent_to_pivot), centre = vector(link.pivot_to_centre);
		if (link.joint == TB_WELD)
			robot->setupFixed(i, link.mass, inertia, link.parent, parallel, pivot, centre);
		else if (link.joint == TB_SLIDE)
			robot->setupPrismatic(i, link.mass, inertia, link.parent, parallel, axis, pivot, centre, true);
		else
			robot->setupRevolute(i, link.mass, inertia, link.parent, parallel, axis, pivot, centre, true);
		if (link.limited) limits.push_back({i, link.lower, link.upper});
		if (link.joint != TB_WELD) motors++;
	}
	robot->finalizeMultiDof();
	std::reverse(contacts.begin(), contacts.end());

	const SolverSettings solver_settings = {settings.time_step / settings.substeps, settings.contact_erp, settings.iterations};
	solver = std::make_unique<Solver>(solver_settings, solver_order(limits, motors));
	update_poses();
}

// Adds a link's shapes to the contacts and returns its moments of inertia.
btVector3 tb_world::add_shapes(int link, const tb_shape*& shape, int count, double mass, double friction)
{
	btVector3 inertia(0, 0, 0);
	if (count == 0) return inertia;

	// Bullet takes inertia, and the distance at which points are dropped, from all shapes of the link together.
	btCompoundShape together;
	std::vector<std::unique_ptr<btConvexShape>> shapes;
	for (int i = 0; i < count; i++, shape++) {
		const btQuaternion rotation(shape->rotation[0], shape->rotation[1], shape->rotation[2], shape->rotation[3]);
		shapes.push_back(make_shape(*shape));
		together.addChildShape(btTransform(rotation, vector(shape->position)), shapes.back().get());
	}
	const bool alone = count == 1 && together.getChildTransform(0) == btTransform::getIdentity();
	const btCollisionShape* whole = alone ? together.getChildShape(0) : &together;
	whole->calculateLocalInertia(mass, inertia);

	const FloorSurface surface = {friction * settings.floor_friction, whole->getContactBreakingThreshold(gContactBreakingThreshold)};
	for (int i = 0; i < count; i++)
		contacts.push_back(std::make_unique<FloorContact>(link, std::move(shapes[i]), together.getChildTransform(i), alone, surface));
	return inertia;
}

void tb_world::update_poses() { robot->forwardKinematics(m_rotations, m_origins); }

void tb_world::step()
{
	const btVector3 gravity(0, 0, settings.gravity);
	robot->addBaseForce(gravity * robot->getBaseMass());
	for (int i = 0; i < robot->getNumLinks(); i++) robot->addLinkForce(i, gravity * robot->getLinkMass(i));
	for (int i = 0; i < settings.substeps; i++) substep(settings.time_step / settings.substeps);
	robot->clearForcesAndTorques();
}

void tb_world::substep(btScalar time_step)
{
	// The link poses that a step leaves behind are those at the start of its last substep: Bullet's server reports them so.
	update_poses();
	for (auto& contact : contacts) contact->update(pose(contact->link()));
	robot->computeAccelerationsArticulatedBodyAlgorithmMultiDof(time_step, m_scratch_r, m_scratch_v, m_scratch_m, false, false, false);
	solver->solve(*robot, contacts);
	robot->addSplitV();  // nothing is in it, but -0 becomes 0
	robot->stepPositionsMultiDof(time_step);
	robot->substractSplitV();
}

btTransform tb_world::pose(int link) const
{
	if (link >= 0) return robot->getLink(link).m_cachedWorldTransform;
	return btTransform(robot->getWorldToBaseRot().inverse(), robot->getBasePos());
}

// Velocities of a link in its own frame.
void tb_world::local_velocity(int link, btVector3& angular, btVector3& linear) const
{
	if (link < 0) {
		angular = quatRotate(robot->getWorldToBaseRot(), robot->getBaseOmega());
		linear = quatRotate(robot->getWorldToBaseRot(), robot->getBaseVel());
		return;
	}
	const btMultibodyLink& at = robot->getLink(link);
	btVector3 parent_angular, parent_linear;
	local_velocity(at.m_parent, parent_angular, parent_linear);
	btMultiBody::spatialTransform(btMatrix3x3(at.m_cachedRotParentToThis), at.m_cachedRVector, parent_angular, parent_linear, angular, linear);
	if (at.m_dofCount) {
		angular += robot->getJointVel(link) * at.getAxisTop(0);
		linear += robot->getJointVel(link) * at.getAxisBottom(0);
	}
}

// World velocity of a centre of mass.
btVector3 tb_world::velocity(int link) const
{
	if (link < 0) return robot->getBaseVel();
	btVector3 angular, linear;
	local_velocity(link, angular, linear);
	return robot->getLink(link).m_cachedWorldTransform.getBasis() * linear;
}

// Everything that later steps depend on.
struct tb_snapshot {
	btVector3 base_position, base_velocity, base_spin;
	btQuaternion base_rotation;
	std::vector<btScalar> positions, velocities;
	std::vector<btPersistentManifold> points;
};

namespace {
void write(const btVector3& v, double out[3])
{
	for (int i = 0; i < 3; i++) out[i] = v[i];
}
}  // namespace

tb_world* tb_world_new(const tb_settings* settings, const tb_base* base, const tb_link* links, int count, const tb_shape* shapes)
{
	return new tb_world(*settings, *base, links, count, shapes);
}

void tb_world_free(tb_world* world) { delete world; }

void tb_set_joint(tb_world* world, int link, double position, double velocity)
{
	world->robot->setJointPos(link, position);
	world->robot->setJointVel(link, velocity);
}

void tb_update_poses(tb_world* world) { world->update_poses(); }

void tb_add_torque(tb_world* world, int link, double torque) { world->robot->addJointTorque(link, torque); }

void tb_step(tb_world* world) { world->step(); }

void tb_joint(const tb_world* world, int link, double position_velocity[2])
{
	position_velocity[0] = world->robot->getJointPos(link);
	position_velocity[1] = world->robot->getJointVel(link);
}

void tb_position(const tb_world* world, int link, double xyz[3])
{
	write(link < 0 ? world->robot->getBasePos() : world->robot->getLink(link).m_cachedWorldTransform.getOrigin(), xyz);
}

void tb_rotation(const tb_world* world, int link, double xyzw[4])
{
	const btQuaternion rotation = world->pose(link).getRotation();
	for (int i = 0; i < 4; i++) xyzw[i] = rotation[i];
}

void tb_velocity(const tb_world* world, int link, double linear[3]) { write(world->velocity(link), linear); }

int tb_touches_floor(const tb_world* world, int link)
{
	for (const auto& contact : world->contacts)
		if (contact->link() == link && contact->points().getNumContacts()) return 1;
	return 0;
}

tb_snapshot* tb_save(const tb_world* world)
{
	const btMultiBody& robot = *world->robot;
	tb_snapshot* snapshot = new tb_snapshot;
	snapshot->base_position = robot.getBasePos();
	snapshot->base_velocity = robot.getBaseVel();
	snapshot->base_spin = robot.getBaseOmega();
	snapshot->base_rotation = robot.getWorldToBaseRot();
	for (int i = 0; i < robot.getNumLinks(); i++) {
		if (robot.getLink(i).m_dofCount == 0) continue;
		snapshot->positions.push_back(robot.getJointPos(i));
		snapshot->velocities.push_back(robot.getJointVel(i));
	}
	for (const auto& contact : world->contacts) snapshot->points.push_back(contact->points());
	return snapshot;
}

void tb_restore(tb_world* world, const tb_snapshot* snapshot)
{
	btMultiBody& robot = *world->robot;
	robot.setBasePos(snapshot->base_position);
	robot.setBaseVel(snapshot->base_velocity);
	robot.setBaseOmega(snapshot->base_spin);
	robot.setWorldToBaseRot(snapshot->base_rotation);
	for (int i = 0, joint = 0; i < robot.getNumLinks(); i++) {
		if (robot.getLink(i).m_dofCount == 0) continue;
		tb_set_joint(world, i, snapshot->positions[joint], snapshot->velocities[joint]);
		joint++;
	}
	for (size_t i = 0; i < world->contacts.size(); i++) world->contacts[i]->points() = snapshot->points[i];
	robot.clearForcesAndTorques();
	world->update_poses();
}

void tb_snapshot_free(tb_snapshot* snapshot) { delete snapshot; }
